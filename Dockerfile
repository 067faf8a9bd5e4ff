# SPDX-License-Identifier: Apache-2.0
#
# meshwright with the simulators that cosim and exports need:
#
#   docker build -t meshwright .
#   docker run --rm meshwright run scatter --topology mesh:8x8
#   docker run --rm -v "$PWD:/work" --user "$(id -u):$(id -g)" meshwright export chip scatter --topology mesh:4x4

FROM docker.io/library/golang:1.26-bookworm AS build
WORKDIR /src
COPY go.mod go.sum ./
RUN go mod download
COPY . .
RUN CGO_ENABLED=0 go build -trimpath -ldflags='-s -w' -o /usr/local/bin/meshwright ./cmd/meshwright

FROM docker.io/library/debian:bookworm-slim
RUN apt-get update \
 && apt-get install -y --no-install-recommends g++ iverilog make verilator \
 && rm -rf /var/lib/apt/lists/*
RUN useradd --create-home --uid 1000 meshwright \
 && install --directory --owner=meshwright --group=meshwright /work
COPY --from=build /usr/local/bin/meshwright /usr/local/bin/meshwright
USER meshwright
WORKDIR /work
ENTRYPOINT ["meshwright"]
CMD ["--help"]
