// Package types is what Sprag knows of the package of this import path where its source is not at hand.
package types

type UID string

type NodeName string

type PatchType string

type NamespacedName struct {
	Namespace string `json:"namespace"`
	Name      string `json:"name"`
}
