// SPDX-License-Identifier: Apache-2.0

package ip

import (
	"encoding/xml"
	"io"
)

// The elements of an IP-XACT component that a core has, in the order that the schema demands.

const schema = "http://www.accellera.org/XMLSchema/IPXACT/1685-2014"

type component struct {
	XMLName     xml.Name        `xml:"ipxact:component"`
	Namespace   string          `xml:"xmlns:ipxact,attr"`
	XSI         string          `xml:"xmlns:xsi,attr"`
	Location    string          `xml:"xsi:schemaLocation,attr"`
	Vendor      string          `xml:"ipxact:vendor"`
	Library     string          `xml:"ipxact:library"`
	Name        string          `xml:"ipxact:name"`
	Version     string          `xml:"ipxact:version"`
	Interfaces  []busInterface  `xml:"ipxact:busInterfaces>ipxact:busInterface"`
	View        view            `xml:"ipxact:model>ipxact:views>ipxact:view"`
	Instance    instantiation   `xml:"ipxact:model>ipxact:instantiations>ipxact:componentInstantiation"`
	Ports       []componentPort `xml:"ipxact:model>ipxact:ports>ipxact:port"`
	FileSets    []fileSet       `xml:"ipxact:fileSets>ipxact:fileSet"`
	Description string          `xml:"ipxact:description"`
}

type reference struct {
	Vendor  string `xml:"vendor,attr"`
	Library string `xml:"library,attr"`
	Name    string `xml:"name,attr"`
	Version string `xml:"version,attr"`
}

type busInterface struct {
	Name        string    `xml:"ipxact:name"`
	Bus         reference `xml:"ipxact:busType"`
	Abstraction reference `xml:"ipxact:abstractionTypes>ipxact:abstractionType>ipxact:abstractionRef"`
	Maps        []portMap `xml:"ipxact:abstractionTypes>ipxact:abstractionType>ipxact:portMaps>ipxact:portMap"`
	Master      *struct{} `xml:"ipxact:master"`
	Slave       *struct{} `xml:"ipxact:slave"`
}

type portMap struct {
	Logical  string `xml:"ipxact:logicalPort>ipxact:name"`
	Physical string `xml:"ipxact:physicalPort>ipxact:name"`
}

type view struct {
	Name string `xml:"ipxact:name"`
	Ref  string `xml:"ipxact:componentInstantiationRef"`
}

type instantiation struct {
	Name       string            `xml:"ipxact:name"`
	Language   string            `xml:"ipxact:language"`
	Module     string            `xml:"ipxact:moduleName"`
	Parameters []moduleParameter `xml:"ipxact:moduleParameters>ipxact:moduleParameter"`
	FileSet    string            `xml:"ipxact:fileSetRef>ipxact:localName"`
}

type moduleParameter struct {
	ID          string `xml:"parameterId,attr"`
	Type        string `xml:"dataType,attr"`
	Usage       string `xml:"usageType,attr"`
	Name        string `xml:"ipxact:name"`
	Description string `xml:"ipxact:description"`
	Value       string `xml:"ipxact:value"`
}

type componentPort struct {
	Name        string  `xml:"ipxact:name"`
	Description string  `xml:"ipxact:description,omitempty"`
	Direction   string  `xml:"ipxact:wire>ipxact:direction"`
	Vector      *vector `xml:"ipxact:wire>ipxact:vectors>ipxact:vector"`
}

type vector struct {
	Left  int `xml:"ipxact:left"`
	Right int `xml:"ipxact:right"`
}

type fileSet struct {
	Name  string     `xml:"ipxact:name"`
	Files []fileItem `xml:"ipxact:file"`
}

type fileItem struct {
	Name string `xml:"ipxact:name"`
	Type string `xml:"ipxact:fileType"`
}

// WriteIPXACT describes the core as a component of IEEE 1685-2014. The streams are of the bus type that Arm
// publishes for AXI4-Stream.
func (c *Core) WriteIPXACT(w io.Writer) error {
	const library = "fabric"
	doc := component{
		Namespace: schema, XSI: "http://www.w3.org/2001/XMLSchema-instance", Location: schema + " " + schema + "/index.xsd",
		Vendor: "meshwright", Library: library, Name: c.Name, Version: "1.0", Description: c.Description,
		View:     view{"rtl", "verilog"},
		Instance: instantiation{Name: "verilog", Language: "Verilog", Module: c.Module.Name, FileSet: "rtl"},
	}
	for i := range c.Streams {
		s := &c.Streams[i]
		bus := busInterface{Name: s.label(), Bus: reference{"amba.com", "AMBA4", "AXI4Stream", "r0p0_1"}, Abstraction: reference{"amba.com", "AMBA4", "AXI4Stream_rtl", "r0p0_1"}}
		for _, signal := range c.signals(s) {
			bus.Maps = append(bus.Maps, portMap{signal.logical, signal.port})
		}
		if s.Master {
			bus.Master = &struct{}{}
		} else {
			bus.Slave = &struct{}{}
		}
		doc.Interfaces = append(doc.Interfaces, bus)
	}
	for _, p := range c.Module.Locals {
		doc.Instance.Parameters = append(doc.Instance.Parameters, moduleParameter{p.Name, "int", "nontyped", p.Name, p.Comment, p.Value})
	}
	for i := range c.Module.Ports {
		p := &c.Module.Ports[i]
		port := componentPort{Name: p.Name, Description: p.Comment, Direction: direction(p)}
		if n, isVector := bits(p); isVector {
			port.Vector = &vector{n - 1, 0}
		}
		doc.Ports = append(doc.Ports, port)
	}
	for _, set := range []struct {
		name string
		use  Use
		kind string // the standard has none for Verilog-2005
	}{{"rtl", Design, "verilogSource"}, {"bench", Bench, "verilogSource"}, {"constraints", Constraint, "SDC"}} {
		files := fileSet{Name: set.name}
		for _, name := range c.files(set.use) {
			files.Files = append(files.Files, fileItem{name, set.kind})
		}
		doc.FileSets = append(doc.FileSets, files)
	}
	if _, err := io.WriteString(w, xml.Header+"<!-- SPDX-License-Identifier: Apache-2.0 -->\n"); err != nil {
		return err
	}
	e := xml.NewEncoder(w)
	e.Indent("", "  ")
	if err := e.Encode(&doc); err != nil {
		return err
	}
	_, err := io.WriteString(w, "\n")
	return err
}
