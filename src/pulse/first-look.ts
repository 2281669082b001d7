// The one fact that every stage needs to know of the start.

/** Until the whole room was taken in once, edits are gathered, and nothing is decided over them or started. */
export interface FirstLook {
  readonly isOver: boolean;
}
