/** A shape that is made when it is first asked for, and is the same for whoever asks. */
export function once<Shape>(make: () => Shape): () => Shape {
  let made: Shape | undefined;
  return () => {
    made ??= make();
    return made;
  };
}
