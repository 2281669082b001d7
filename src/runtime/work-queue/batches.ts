// Calls of one kind, joined: what is asked for while one call is under way goes out together as the next. A call that has
// nothing to join goes out at once.

/**
 * @param run carries out one or more of them; resolves with an answer each, in order
 * @param most of them at once
 * @returns asks for one; rejects with what `run` rejected with
 */
export function createBatches<Item, Answer>(
  run: (items: Item[]) => Promise<readonly Answer[]>,
  most: number,
): (item: Item) => Promise<Answer> {
  const pending: { item: Item; answer: PromiseWithResolvers<Answer> }[] = [];
  let isRunning = false;
  async function runAll(): Promise<void> {
    isRunning = true;
    // What is asked for in the same turn of the event loop goes together.
    await Promise.resolve();
    while (pending.length > 0) {
      const batch = pending.splice(0, most);
      try {
        const answers = await run(batch.map(({ item }) => item));
        for (const [at, { answer }] of batch.entries()) answer.resolve(answers[at]!);
      } catch (error) {
        for (const { answer } of batch) answer.reject(error);
      }
    }
    isRunning = false;
  }
  return (item) => {
    const answer = Promise.withResolvers<Answer>();
    pending.push({ item, answer });
    if (!isRunning) void runAll();
    return answer.promise;
  };
}
