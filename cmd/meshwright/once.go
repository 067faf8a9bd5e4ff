// SPDX-License-Identifier: Apache-2.0

package main

import (
	"errors"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// errTwice refuses a second value for a flag that holds one.
var errTwice = errors.New("given twice")

// onceValue is the value of a flag that may be given once. Package pflag would keep the last of several values.
type onceValue struct {
	pflag.Value
	given bool
}

// Set implements pflag.Value.
func (v *onceValue) Set(text string) error {
	if v.given {
		return errTwice
	}
	v.given = true
	return v.Value.Set(text)
}

// holdOnce makes all flags of a verb, and of the verbs below it, refuse a second value, except flags that hold a list.
// A switch such as --json, which has no value, may be repeated.
func holdOnce(cmd *cobra.Command) {
	eachFlag(cmd, func(flag *pflag.Flag) {
		if _, many := flag.Value.(pflag.SliceValue); !many && flag.Value.Type() != "bool" {
			flag.Value = &onceValue{Value: flag.Value}
		}
	})
}

// letAgain undoes holdOnce: for completions cobra reads the flags of a line twice.
func letAgain(cmd *cobra.Command) {
	eachFlag(cmd, func(flag *pflag.Flag) {
		if once, ok := flag.Value.(*onceValue); ok {
			flag.Value = once.Value
		}
	})
}

// eachFlag visits the flags of a verb and of the verbs below it.
func eachFlag(cmd *cobra.Command, visit func(*pflag.Flag)) {
	cmd.PersistentFlags().VisitAll(visit)
	cmd.Flags().VisitAll(visit)
	for _, below := range cmd.Commands() {
		eachFlag(below, visit)
	}
}

// displayed is a flag with the value that pflag made: the help leaves out its default by the value's own type.
func displayed(flag *pflag.Flag) *pflag.Flag {
	once, ok := flag.Value.(*onceValue)
	if !ok {
		return flag
	}
	own := *flag
	own.Value = once.Value
	return &own
}
