// SPDX-License-Identifier: Apache-2.0

package msccl

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"strings"

	"meshwright/internal/input"
)

// Read reads an algorithm from a file. Its errors are *input.Error.
func Read(path string) (*Algorithm, error) {
	text, err := input.ReadFileWithin(path, input.LongLines())
	if err != nil {
		return nil, err
	}
	return Parse(path, bytes.NewReader(text))
}

// Parse reads an algorithm; file is for errors, which are *input.Error.
func Parse(file string, r io.Reader) (*Algorithm, error) {
	p := parser{file: file, xml: xml.NewDecoder(&spans{file: file, r: r}), algorithm: &Algorithm{File: file}, seen: map[int]int{}}
	p.xml.CharsetReader = func(charset string, _ io.Reader) (io.Reader, error) {
		return nil, input.At(file, 1, "expected UTF-8", "encoding %q", charset)
	}
	if err := p.document(); err != nil {
		return nil, err
	}
	if err := p.algorithm.Bind(); err != nil {
		return nil, err
	}
	return p.algorithm, nil
}

// parser is the state of reading.
type parser struct {
	file      string
	xml       *xml.Decoder
	line      int // of the token that is being read
	algorithm *Algorithm
	gpus      []numbered[GPU]
	seen      map[int]int // by gpu id: line
	largest   int         // maxcount, 0: none
	blocks    int         // nthreadblocks, 0: none
	adds      bool
}

// numbered is an element with its id.
type numbered[T any] struct {
	id, line int
	value    T
}

func (p *parser) fault(want, format string, args ...any) error {
	return input.At(p.file, p.line, want, format, args...)
}

// token returns the next tag, nil at the end of the file. Comments and blanks
// are passed over, everything else is refused.
func (p *parser) token() (xml.Token, error) {
	for {
		p.line, _ = p.xml.InputPos()
		token, err := p.xml.Token()
		if err == io.EOF {
			return nil, nil
		}
		if err != nil {
			return nil, p.malformed(err)
		}
		switch t := token.(type) {
		case xml.StartElement, xml.EndElement:
			return token, nil
		case xml.CharData:
			if text := strings.TrimSpace(string(t)); text != "" {
				before, _, _ := strings.Cut(string(t), text)
				p.line += strings.Count(before, "\n")
				return nil, p.fault("expected elements only", "text %q", input.Clip(text))
			}
		case xml.ProcInst:
			if t.Target != "xml" {
				return nil, p.fault("expected elements only", "processing instruction %q", t.Target)
			}
		case xml.Directive:
			return nil, p.fault("expected elements only", "directive %q", input.Clip("<!"+string(t)+">"))
		}
	}
}

// malformed says why a text is no XML.
func (p *parser) malformed(err error) error {
	var fault *input.Error
	var syntax *xml.SyntaxError
	switch {
	case errors.As(err, &fault):
		return fault
	case errors.As(err, &syntax):
		return input.At(p.file, syntax.Line, "expected well-formed XML", "%s", syntax.Msg)
	}
	return p.fault("expected well-formed XML", "%s", strings.TrimPrefix(err.Error(), "xml: "))
}

// document reads <algo> and what is around it.
func (p *parser) document() error {
	token, err := p.token()
	if err != nil {
		return err
	}
	start, ok := token.(xml.StartElement)
	if !ok {
		return input.At(p.file, 0, "expected <algo …>", "no elements")
	}
	if start.Name.Local != "algo" || start.Name.Space != "" {
		return p.fault("expected <algo>", "<%s>", element(start.Name))
	}
	if err := p.readAlgo(start); err != nil {
		return err
	}
	if token, err = p.token(); err != nil {
		return err
	}
	if token != nil {
		return p.fault("expected the end of the file", "<%s> behind </algo>", token.(xml.StartElement).Name.Local)
	}
	return p.arrange()
}

// element is an element's name, with its namespace where it has one.
func element(name xml.Name) string {
	if name.Space == "" {
		return name.Local
	}
	return input.Clip(name.Space) + ":" + name.Local
}

// children calls child for every element up to the end tag of parent.
func (p *parser) children(parent, name string, child func(xml.StartElement) error) error {
	for {
		token, err := p.token()
		if err != nil {
			return err
		}
		switch t := token.(type) {
		case xml.EndElement:
			return nil
		case xml.StartElement:
			if t.Name.Local != name || t.Name.Space != "" {
				want := "expected nothing in it"
				if name != "" {
					want = "expected <" + name + ">"
				}
				return p.fault(want, "<%s> in <%s>", t.Name.Local, parent)
			}
			if err := child(t); err != nil {
				return err
			}
		}
	}
}

func (p *parser) readAlgo(start xml.StartElement) error {
	a := p.algorithm
	at := p.attributes(start)
	a.Name = at.text("name")
	a.Protocol = at.oneOf("proto", "Simple", "LL", "LL128")
	a.Channels = at.number("nchannels", 1, maxNumber)
	a.ChunksPerLoop = at.number("nchunksperloop", 1, maxChunks)
	a.Ranks = at.number("ngpus", 1, maxRanks)
	a.Collective = at.oneOf("coll", collectiveNames()...)
	a.InPlace = at.number("inplace", 0, 1) == 1
	a.OutOfPlace = !a.InPlace
	if at.has("outofplace") {
		a.OutOfPlace = at.number("outofplace", 0, 1) == 1
	}
	a.MinBytes, a.MaxBytes = at.size("minBytes"), at.size("maxBytes")
	p.largest, p.blocks, p.adds = 0, 0, true
	if at.has("maxcount") {
		p.largest = at.number("maxcount", 1, maxNumber)
	}
	if at.has("nthreadblocks") {
		p.blocks = at.number("nthreadblocks", 1, maxNumber)
	}
	if at.has("nthreads") {
		at.number("nthreads", 0, maxNumber)
	}
	if at.has("redop") {
		p.adds = at.oneOf("redop", "sum", "nop") == "sum"
	}
	if err := at.done(); err != nil {
		return err
	}
	if !a.InPlace && !a.OutOfPlace {
		return p.fault("expected one of them to be 1", `inplace="0" outofplace="0"`)
	}
	if a.MaxBytes > 0 && a.MinBytes > a.MaxBytes {
		return p.fault("expected minBytes at most maxBytes", "minBytes %d, maxBytes %d", a.MinBytes, a.MaxBytes)
	}
	return p.children("algo", "gpu", p.readGPU)
}

func (p *parser) readGPU(start xml.StartElement) error {
	at := p.attributes(start)
	g := numbered[GPU]{line: p.line, value: GPU{Line: p.line}}
	g.id = at.rank("id")
	g.value.Input = at.number("i_chunks", 0, maxChunks)
	g.value.Output = at.number("o_chunks", 0, maxChunks)
	g.value.Scratch = at.number("s_chunks", 0, maxChunks)
	if err := at.done(); err != nil {
		return err
	}
	if line := p.seen[g.id]; line > 0 {
		return p.fault("expected each once", "gpu id %d again, as in line %d", g.id, line)
	}
	p.seen[g.id] = p.line
	var blocks []numbered[Block]
	err := p.children("gpu", "tb", func(start xml.StartElement) error {
		b, err := p.readBlock(start, &g.value, g.id)
		blocks = append(blocks, b)
		return err
	})
	if err != nil {
		return err
	}
	p.line = g.line
	if g.value.Blocks, err = ordered(p, blocks, len(blocks), "tb"); err != nil {
		return err
	}
	if p.blocks > 0 && len(blocks) != p.blocks {
		p.line = g.line
		return p.fault("expected "+input.Count(p.blocks, "tb")+", as nthreadblocks says", "gpu %d has %d", g.id, len(blocks))
	}
	p.gpus = append(p.gpus, g)
	return nil
}

// ordered puts elements at their ids, each of which stands once.
func ordered[T any](p *parser, list []numbered[T], count int, element string) ([]T, error) {
	values, lines := make([]T, count), make([]int, count)
	for _, e := range list {
		p.line = e.line
		switch {
		case e.id >= count:
			return nil, p.fault("expected the numbers from 0 on", "%s id %d of %s", element, e.id, input.Count(count, element))
		case lines[e.id] > 0:
			return nil, p.fault("expected each once", "%s id %d again, as in line %d", element, e.id, lines[e.id])
		}
		values[e.id], lines[e.id] = e.value, e.line
	}
	for id, line := range lines {
		if line == 0 {
			p.line = 0
			return nil, p.fault("expected "+input.Count(count, element), "no %s id %d", element, id)
		}
	}
	return values, nil
}

// arrange puts the ranks into their order.
func (p *parser) arrange() (err error) {
	p.algorithm.GPUs, err = ordered(p, p.gpus, p.algorithm.Ranks, "gpu")
	return err
}

func (p *parser) readBlock(start xml.StartElement, g *GPU, rank int) (numbered[Block], error) {
	at := p.attributes(start)
	b := numbered[Block]{line: p.line, value: Block{Line: p.line}}
	b.id = at.number("id", 0, maxNumber)
	b.value.Send = at.peer("send", rank)
	b.value.Receive = at.peer("recv", rank)
	b.value.Channel = at.number("chan", -1, maxNumber)
	if err := at.done(); err != nil {
		return b, err
	}
	talks := b.value.Send >= 0 || b.value.Receive >= 0
	if talks && (b.value.Channel < 0 || b.value.Channel >= p.algorithm.Channels) {
		return b, p.fault("expected 0 to "+itoa(p.algorithm.Channels-1)+", by nchannels", "tb chan %d", b.value.Channel)
	}
	err := p.children("tb", "step", func(start xml.StartElement) error {
		s, err := p.readStep(start, g, &b.value)
		b.value.Steps = append(b.value.Steps, s)
		return err
	})
	return b, err
}

func (p *parser) readStep(start xml.StartElement, g *GPU, b *Block) (Step, error) {
	at := p.attributes(start)
	s := Step{Line: p.line}
	index := at.number("s", 0, maxNumber)
	s.Kind = Kind(at.oneOf("type", kinds...))
	s.Source = Place{at.oneOf("srcbuf", "i", "o", "s")[0], at.number("srcoff", -1, maxChunks)}
	s.Target = Place{at.oneOf("dstbuf", "i", "o", "s")[0], at.number("dstoff", -1, maxChunks)}
	s.Count = at.number("cnt", 0, maxChunks)
	s.DependsBlock = at.number("depid", -1, maxNumber)
	s.DependsOn = at.number("deps", -1, maxNumber)
	s.HasDependents = at.number("hasdep", 0, 1) == 1
	if err := at.done(); err != nil {
		return s, err
	}
	if index != len(b.Steps) {
		return s, p.fault("expected s="+itoa(len(b.Steps))+": in order from 0", "step s=%d", index)
	}
	if err := p.judgeStep(&s, g, b); err != nil {
		return s, err
	}
	return s, p.children("step", "", nil)
}

// judgeStep refuses a step that makes no sense in its threadblock.
func (p *parser) judgeStep(s *Step, g *GPU, b *Block) error {
	switch {
	case s.Kind.sends() && b.Send < 0:
		return p.fault("expected a tb with send, a rank", "step type %q in a tb that sends to nobody", s.Kind)
	case s.Kind.receives() && b.Receive < 0:
		return p.fault("expected a tb with recv, a rank", "step type %q in a tb that receives from nobody", s.Kind)
	case s.Kind.reduces() && !p.adds:
		return p.fault(`expected redop "sum"`, `step type %q in an algorithm of redop "nop"`, s.Kind)
	case s.Kind != Nop && s.Count < 1:
		return p.fault("expected at least 1", "step type %q of %d chunks", s.Kind, s.Count)
	case p.largest > 0 && s.Count > p.largest:
		return p.fault("expected at most "+itoa(p.largest)+", by maxcount", "step cnt %d", s.Count)
	case (s.DependsBlock < 0) != (s.DependsOn < 0):
		return p.fault("expected both, or -1 for both", "step depid %d, deps %d", s.DependsBlock, s.DependsOn)
	}
	if s.Kind.reads() {
		if err := p.judgePlace(s.Source, s.Count, g); err != nil {
			return err
		}
	}
	if s.Kind.stores() {
		return p.judgePlace(s.Target, s.Count, g)
	}
	return nil
}

// judgePlace refuses chunks that are not in their buffer.
func (p *parser) judgePlace(at Place, count int, g *GPU) error {
	size := map[byte]int{'i': g.Input, 'o': g.Output, 's': g.Scratch}[at.Buffer]
	if at.Offset < 0 || at.Offset+count > size {
		last := Place{at.Buffer, at.Offset + count - 1}
		want := "expected chunks of buffer " + string(at.Buffer) + ", which has " + itoa(size)
		if count == 1 {
			return p.fault(want, "chunk %s", at)
		}
		return p.fault(want, "chunks %s to %s", at, last)
	}
	return nil
}
