// Pages asked for one ahead: while one is dealt with, the next is on its way. What goes wrong with a page is told when
// its turn comes, after all before it.

export async function* readAhead<T>(pages: AsyncIterable<T>): AsyncGenerator<T> {
  const iterator = pages[Symbol.asyncIterator]();
  const ask = (): Promise<IteratorResult<T>> => {
    const asked = iterator.next();
    asked.catch(() => undefined);
    return asked;
  };
  let next = ask();
  try {
    for (;;) {
      const page = await next;
      if (page.done) return;
      next = ask();
      yield page.value;
    }
  } finally {
    // Left early: a page that is on its way ends first.
    await next.catch(() => undefined);
    await iterator.return?.();
  }
}
