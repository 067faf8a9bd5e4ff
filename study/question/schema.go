// SPDX-License-Identifier: Apache-2.0

package question

import (
	"encoding/json"

	"meshwright/study/point"
)

// object is a part of a JSON schema.
type object = map[string]any

// Schema returns the JSON schema of study files, for editors.
func Schema() ([]byte, error) {
	properties := object{}
	for _, s := range sections() {
		part, _ := s.schema().(object)
		part["description"] = s.help
		properties[s.name] = part
	}
	return json.MarshalIndent(object{
		"$schema": "http://json-schema.org/draft-07/schema#", "title": "meshwright study", "type": "object",
		"properties": properties, "required": []string{"measure"}, "additionalProperties": false,
	}, "", "  ")
}

func textSchema() any { return object{"type": "string"} }

func nameSchema() any { return object{"type": "string", "minLength": 1} }

func scalarSchema() object { return object{"type": []string{"string", "number", "boolean"}} }

func parametersSchema() any { return object{"type": "object", "additionalProperties": scalarSchema()} }

// settingsSchema is a mapping of keys to values.
func settingsSchema() any {
	properties := object{}
	for _, k := range point.Keys() {
		key := scalarSchema()
		key["description"] = k.Help
		properties[k.Name] = key
	}
	return object{"type": "object", "properties": properties, "additionalProperties": false}
}

// axesSchema allows any name, since an axis may be a name for ${}.
func axesSchema() any {
	number := object{"type": []string{"number", "string"}}
	values := object{"anyOf": []any{
		scalarSchema(),
		object{"type": "array", "minItems": 1, "items": object{"anyOf": []any{scalarSchema(), object{"type": "object"}}}},
		object{
			"type": "object", "properties": object{"from": number, "to": number, "step": number, "times": number},
			"required": []string{"from", "to"}, "additionalProperties": false,
		},
	}}
	properties := object{}
	for _, k := range point.Keys() {
		properties[k.Name] = object{"description": k.Help, "anyOf": values["anyOf"]}
	}
	return object{"type": "object", "properties": properties, "additionalProperties": values}
}

func whereSchema() any { return object{"type": "array", "items": object{"type": "string"}} }

func measureSchema() any {
	var names []string
	for _, m := range point.Measures() {
		names = append(names, m.Name)
	}
	return object{"type": "array", "minItems": 1, "items": object{"anyOf": []any{
		object{"enum": names},
		object{"type": "object", "minProperties": 1, "maxProperties": 1, "additionalProperties": object{"type": "string"}},
	}}}
}

func labelsSchema() any { return object{"type": "object", "additionalProperties": textSchema()} }

func repeatsSchema() any { return object{"type": "integer", "minimum": 1, "maximum": maxRepeats} }

func viewsSchema() any {
	properties := object{}
	for _, key := range viewKeys() {
		properties[key] = scalarSchema()
	}
	properties["plot"] = object{"enum": plots()}
	for _, key := range []string{bestKey, bestXKey} {
		properties[key] = object{"enum": []Best{Least, Most}}
	}
	return object{"type": "array", "items": object{"type": "object", "properties": properties, "required": []string{"plot"}, "additionalProperties": false}}
}
