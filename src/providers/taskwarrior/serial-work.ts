// Work that must not overlap: one piece after the other, in the order they came.

export type Serially = <T>(work: () => Promise<T>) => Promise<T>;

export function createSerially(): Serially {
  let last: Promise<unknown> = Promise.resolve();
  return (work) => {
    const mine = last.then(work);
    // What failed is its caller's to know; the next one goes on.
    last = mine.catch(() => {});
    return mine;
  };
}
