// SPDX-License-Identifier: Apache-2.0

  localparam Exits = Ports + Channels;
  localparam Sources = Ports * Vcs / Channels;  // buffers per ejection channel
  localparam Buffers = Ports * Vcs;
  localparam Longest = 3;                       // flits of a message, for the bound on waiting
`include "chip.vh"

  // A head may come to input `at` that goes by way `way`: in dimension order it has done the dimensions below.
  function legal(input integer at, input [7:0] way);
    begin
      if (at >= Buffers) legal = way < Ports & (Channels == 1 | way == at - Buffers);
      else legal = way <= Ports & (Kind != 0 | way >= at / Vcs / 2 * 2);
    end
  endfunction

  // By input: what comes, and the message that is under way on each side.
  wire [Inputs-1:0]           comes;     // a flit comes
  wire [Inputs*BodyWidth-1:0] coming;
  reg  [Inputs-1:0]           entering_q;  // the last flit that came is no tail
  reg  [Inputs-1:0]           leaving_q;   // the last flit that left is no tail
  wire [Inputs*8-1:0]         exit;        // of the message that is under way or at the front
  wire [Inputs*8-1:0]         channel;     // and its virtual channel
  wire [Inputs*8-1:0]         held;        // flits
  wire [Inputs*Buffer*BodyWidth-1:0] stored;  // they, the front lowest
  wire [Inputs-1:0]           odd;         // what comes is no message, or one that has no business here
  wire [Inputs-1:0]           unframed;    // invariant: what is here are messages
  // By output: what crosses, and the message that is under way.
  wire [Exits-1:0]            offers;
  wire [Exits-1:0]            crosses;
  wire [Exits*BodyWidth-1:0]  crossing;
  wire [Exits*8-1:0]          crossing_vc;
  wire [Exits*Vcs*Inputs-1:0] owner;       // at the start of the cycle
  wire [Exits*Vcs-1:0]        locked;      // there is one
  wire [Exits*Vcs*Inputs*Inputs-1:0] order;
  reg  [Exits*Vcs*Inputs-1:0] past;        // inputs before the arbiter's pointer
  reg  [Exits*Vcs-1:0]        open_q;      // the last flit that crossed is no tail
  reg  [Exits*Vcs*8-1:0]      length_q;    // flits of the message that crossed, at most Longest
  wire [Exits-1:0]            astray;      // a head leaves by a wrong output
  wire [Exits-1:0]            torn;        // a head where a message is under way, or another flit where none is
  wire [Exits-1:0]            idle;        // nothing is offered although a flit may leave, or a flit that may not
  wire [Exits*Vcs-1:0]        unordered;   // invariant: the arbiter's pointer is behind the owner
  wire [Exits*Vcs-1:0]        stolen;      // invariant: the owner is the input whose message is under way or claims

  genvar k;
  genvar v;
  generate
    for (k = 0; k < Inputs; k = k + 1) begin : gen_proved
      wire [BodyWidth-1:0] at_front = front[k*BodyWidth+:BodyWidth];
      reg  [7:0]           exit_q;
      reg  [7:0]           channel_q;
      wire [7:0]           way = way_to(at_front[DstLsb+:NodeWidth]);
      wire [7:0]           out = (way != Ports) ? way : Ports + ((k < Buffers) ? k / Sources : 0);
      wire [7:0]           vc;
      wire                 head = coming[k*BodyWidth+BodyWidth-1];
      wire                 absent;  // the flit's vc
      assign exit[k*8+:8] = leaving_q[k] ? exit_q : out;
      assign channel[k*8+:8] = leaving_q[k] ? channel_q : vc;
      assign odd[k] = comes[k] & (absent | head == entering_q[k] | head & !legal(k, way_to(coming[k*BodyWidth+DstLsb+:NodeWidth])));
      if (k < Buffers) begin : gen_link
        wire [VcWidth-1:0] its = flit_i[k/Vcs*FlitWidth+BodyWidth+:VcWidth];
        assign comes[k] = valid_i[k/Vcs] & ((Vcs == 1) | its == k % Vcs);
        assign absent = (Vcs > 1) & its >= Vcs | count_o[k*CountWidth+:CountWidth] == Buffer;
        assign coming[k*BodyWidth+:BodyWidth] = flit_i[k/Vcs*FlitWidth+:BodyWidth];
        assign held[k*8+:8] = count_o[k*CountWidth+:CountWidth];
        assign vc = k % Vcs;
      end else begin : gen_pe
        wire [VcWidth-1:0] its = inj_flit_i[(k-Buffers)*FlitWidth+BodyWidth+:VcWidth];
        assign comes[k] = inj_valid_i[k-Buffers] & inj_ready_o[k-Buffers];
        assign absent = (Vcs > 1) & its >= Vcs;
        assign coming[k*BodyWidth+:BodyWidth] = inj_flit_i[(k-Buffers)*FlitWidth+:BodyWidth];
        assign held[k*8+:8] = !inj_ready_o[k-Buffers];
        assign vc = (Vcs == 1) ? 8'd0 : inj_vc[(k-Buffers)*VcWidth+:VcWidth];
        assign stored[k*Buffer*BodyWidth+:Buffer*BodyWidth] = at_front;
        assign unframed[k] = held[k*8+:8] != 8'd0 & (at_front[BodyWidth-1] == leaving_q[k] | entering_q[k] == at_front[BodyWidth-2]
          | at_front[BodyWidth-1] & !legal(k, way) | vc >= Vcs | goes[k*(Ports+1)+:Ports+1] != (at_front[BodyWidth-1] ? {{Ports{1'b0}}, 1'b1} << way : {Ports + 1{1'b0}})) | held[k*8+:8] == 8'd0 & entering_q[k] != leaving_q[k];
      end
      always @(posedge clk_i) begin
        if (rst_i) entering_q[k] <= 1'b0;
        else if (tick_i & comes[k]) entering_q[k] <= !coming[k*BodyWidth+BodyWidth-2];
        if (rst_i) leaving_q[k] <= 1'b0;
        else if (tick_i & pop[k]) leaving_q[k] <= !at_front[BodyWidth-2];
        if (tick_i & !leaving_q[k]) begin
          exit_q <= out;
          channel_q <= vc;
        end
      end
    end

    for (k = 0; k < Buffers; k = k + 1) begin : \i_inputs.gen_buffer
      (* hierconn *) wire [Buffer*BodyWidth-1:0] \i_buffer.gen_slots.i_flits.contents ;
      wire [Buffer*BodyWidth-1:0] contents = \i_buffer.gen_slots.i_flits.contents ;
      assign stored[k*Buffer*BodyWidth+:Buffer*BodyWidth] = contents;
      reg                         wrong;
      reg                         inside;  // a message has begun and not ended
      integer                     n;
      always @* begin
        wrong = 1'b0;
        inside = leaving_q[k];
        for (n = 0; n < Buffer; n = n + 1) begin
          if (n < held[k*8+:8]) begin
            if (contents[n*BodyWidth+BodyWidth-1] == inside) wrong = 1'b1;
            if (contents[n*BodyWidth+BodyWidth-1] & !legal(k, way_to(contents[n*BodyWidth+DstLsb+:NodeWidth]))) wrong = 1'b1;
            inside = !contents[n*BodyWidth+BodyWidth-2];
          end
        end
      end
      assign unframed[k] = wrong | inside != entering_q[k];
    end

    for (k = 0; k < Ports; k = k + 1) begin : \i_outputs.gen_link
      for (v = 0; v < Vcs; v = v + 1) begin : \i_output.i_port.gen_vc
        (* hierconn *) wire [Inputs-1:0] \i_vc.held_o ;
        (* hierconn *) wire \i_vc.locked_q ;
        (* hierconn *) wire [Inputs*Inputs-1:0] \i_vc.i_claim.order_q ;
        assign owner[(k*Vcs+v)*Inputs+:Inputs] = \i_vc.held_o ;
        assign locked[k*Vcs+v] = \i_vc.locked_q ;
        assign order[(k*Vcs+v)*Inputs*Inputs+:Inputs*Inputs] = \i_vc.i_claim.order_q ;
      end
      assign offers[k] = valid_o[k];
      assign crosses[k] = tick_i & valid_o[k] & ready_i[k*Vcs+crossing_vc[k*8+:8]] & take_i[k];
      assign crossing[k*BodyWidth+:BodyWidth] = flit_o[k*FlitWidth+:BodyWidth];
      assign crossing_vc[k*8+:8] = (Vcs == 1) ? 8'd0 : flit_o[k*FlitWidth+BodyWidth+:VcWidth];
    end
    for (k = 0; k < Channels; k = k + 1) begin : \i_outputs.gen_ejection
      for (v = 0; v < Vcs; v = v + 1) begin : \i_output.i_port.gen_vc
        (* hierconn *) wire [Sources-1:0] \i_vc.held_o ;
        (* hierconn *) wire \i_vc.locked_q ;
        (* hierconn *) wire [Sources*Sources-1:0] \i_vc.i_claim.order_q ;
        assign owner[((Ports+k)*Vcs+v)*Inputs+:Inputs] = {{Inputs{1'b0}}, \i_vc.held_o } << k * Sources;
        assign locked[(Ports+k)*Vcs+v] = \i_vc.locked_q ;
        assign order[((Ports+k)*Vcs+v)*Inputs*Inputs+:Inputs*Inputs] = \i_vc.i_claim.order_q ;
      end
      assign offers[Ports+k] = ej_valid_o[k];
      assign crosses[Ports+k] = tick_i & ej_valid_o[k] & ej_ready_i[k*Vcs+crossing_vc[(Ports+k)*8+:8]];
      assign crossing[(Ports+k)*BodyWidth+:BodyWidth] = ej_flit_o[k*FlitWidth+:BodyWidth];
      assign crossing_vc[(Ports+k)*8+:8] = (Vcs == 1) ? 8'd0 : ej_flit_o[k*FlitWidth+BodyWidth+:VcWidth];
    end

    for (k = 0; k < Exits; k = k + 1) begin : gen_exit
      wire [BodyWidth-1:0] body = crossing[k*BodyWidth+:BodyWidth];
      wire [7:0]           way = way_to(body[DstLsb+:NodeWidth]);
      reg                  open;   // a message is under way on the virtual channel of what crosses
      wire [Inputs-1:0]    rivals = (k < Ports) ? {Inputs{1'b1}} : {{Inputs{1'b0}}, {Sources{1'b1}}} << ((k < Ports) ? 0 : k - Ports) * Sources;
      reg                  any;    // a flit may leave here
      reg  [Vcs-1:0]       taken;  // a message is under way
      integer              n;
      integer              m;
      always @* begin
        {taken, any, open} = 0;
        for (m = 0; m < Vcs; m = m + 1) begin
          for (n = 0; n < Inputs; n = n + 1) if (leaving_q[n] & exit[n*8+:8] == k & channel[n*8+:8] == m) taken[m] = 1'b1;
          for (n = 0; n < Inputs; n = n + 1) begin
            if (valid[n] & exit[n*8+:8] == k & channel[n*8+:8] == m & (leaving_q[n] | !taken[m] & (Claim == 0 | owner[(k*Vcs+m)*Inputs+n]))) any = 1'b1;
          end
          if (crossing_vc[k*8+:8] == m) open = open_q[k*Vcs+m];
        end
      end
      assign idle[k] = offers[k] != any;
      assign astray[k] = crosses[k] & body[BodyWidth-1] & ((k < Ports) ? way != k : way != Ports);
      assign torn[k] = crosses[k] & body[BodyWidth-1] == open;
      for (v = 0; v < Vcs; v = v + 1) begin : gen_of_vc
        wire [Inputs-1:0] mine = owner[(k*Vcs+v)*Inputs+:Inputs];
        wire              moves = crosses[k] & crossing_vc[k*8+:8] == v;
        reg               bad;
        always @* begin
          bad = 1'b0;
          for (n = 0; n < Inputs; n = n + 1) begin
            if (mine[n] & !(exit[n*8+:8] == k & channel[n*8+:8] == v & (leaving_q[n] | held[n*8+:8] != 8'd0 & front[n*BodyWidth+BodyWidth-1]))) bad = 1'b1;
            if (leaving_q[n] & exit[n*8+:8] == k & channel[n*8+:8] == v & !mine[n]) bad = 1'b1;
          end
          if (|(mine & (mine - 1'b1)) | locked[k*Vcs+v] != |mine) bad = 1'b1;
          if (open_q[k*Vcs+v] != |(mine & leaving_q)) bad = 1'b1;
        end
        assign stolen[k*Vcs+v] = bad;
        localparam Rivals = (k < Ports) ? Inputs : Sources;
        localparam First = (k < Ports) ? 0 : (k - Ports) * Sources;
        wire [Rivals*Rivals-1:0] pairs = order[(k*Vcs+v)*Inputs*Inputs+:Rivals*Rivals];
        reg  [Inputs-1:0] gone;   // inputs before the arbiter's pointer
        reg               mixed;  // the order of the pairs is not that of a pointer
        always @* begin
          gone = {Inputs{1'b0}};
          for (n = 0; n < Rivals - 1; n = n + 1) gone[First+n] = pairs[n*Rivals+Rivals-1];
          mixed = 1'b0;
          for (n = 0; n < Rivals * Rivals; n = n + 1) begin
            if (pairs[n] != (n / Rivals < n % Rivals & gone[First+n/Rivals] & !gone[First+n%Rivals])) mixed = 1'b1;
          end
          past[(k*Vcs+v)*Inputs+:Inputs] = gone;
        end
        wire [Inputs-1:0] upto = rivals & (mine | (mine - 1'b1));  // rivals up to the owner, behind which the pointer is
        wire [7:0]        length = length_q[(k*Vcs+v)*8+:8];
        assign unordered[k*Vcs+v] = mixed | length > Longest | !open_q[k*Vcs+v] & length != 8'd0 | |(gone & (gone + (rivals & -rivals)))
          | (|mine) & gone != ((upto == rivals) ? {Inputs{1'b0}} : upto);
        always @(posedge clk_i) begin
          if (rst_i) open_q[k*Vcs+v] <= 1'b0;
          else if (moves) open_q[k*Vcs+v] <= !body[BodyWidth-2];
          if (rst_i | moves & body[BodyWidth-2]) length_q[(k*Vcs+v)*8+:8] <= 8'd0;
          else if (moves & length < Longest) length_q[(k*Vcs+v)*8+:8] <= length + 1'b1;
        end
      end
    end
  endgenerate

`include "wormhole_watch.vh"

  always @* begin
    if ($initstate) assume (rst_i);
    assume (here_i == position & table_i == entries & watched < Inputs & !absurd);
    if (!$initstate) begin
      `EXPECT (!(|odd));
      //: as many flits cross the outputs as leave the inputs
      assert (!tick_i | count_of(crosses) == count_of(pop));
      //: every flit leaves its input after exactly the flits that came before it
      assert (!watching | ahead != 8'd0 | first == it);
      //: it crosses at once, unchanged, by the output of its message's route and on its virtual channel
      assert (!goes_now | served & carried == it);
      //: every head leaves by the output of its route
      assert (!(|astray));
      //: an output is held from head to tail: what crosses behind a flit that is no tail is the flit that came behind it
      assert (!follows_q | !behind | knows & follower == next);
      //: messages leave whole on every virtual channel, a head first and a tail last
      assert (!(|torn));
      //: an output offers a flit exactly when one may leave: of the message under way, or a head if there is none
      assert (Flit > 1 | SinglePort != 0 | HalfDuplex != 0 | !(|idle));
      //: a head waits for at most Longest flits of each other input to cross its output
      assert (!waits | waits_q <= bound);
      //: with a single port, one flit leaves over the links and one is taken, at most
      assert (SinglePort == 0 | count_of(valid_o) <= 8'd1 & count_of(take_o) <= 8'd1);
      //: with half duplex, no flit of the PE leaves while one goes to the PE
      assert (HalfDuplex == 0 | !(|pop[Inputs-1:Buffers] & |crosses[Exits-1:Ports]));
      // Invariants.
      assert (!(|unframed));
      assert (!(|stolen));
      assert (!(|unordered));
      assert (!misplaced);
      assert (waits_q == 8'd0 | waits & here != 8'd0);
      assert (!waits | (|(has & its)) | waits_q + ((|has) ? Longest - length : 0) + count_of(sooner) * Longest <= bound);
    end
  end
