/** Makes a shape at the first call; every call returns that one. */
export function once<Shape>(make: () => Shape): () => Shape {
  let made: Shape | undefined;
  return () => {
    made ??= make();
    return made;
  };
}
