module meshwright

go 1.26

require (
	github.com/google/gopacket v1.1.19 // indirect
	github.com/stretchr/testify v1.12.1 // indirect
	go.yaml.in/yaml/v3 v3.0.6 // indirect
)
