import { describe, expect, it } from 'vitest';
import { readAhead } from '../../src/sync/read-ahead.ts';

interface Source {
  pages: AsyncIterable<number>;
  asked: number;
  closed: boolean;
}

function createSource(count: number, failsAt = Number.POSITIVE_INFINITY): Source {
  const source: Source = { pages: { [Symbol.asyncIterator]: generate }, asked: 0, closed: false };
  async function* generate(): AsyncGenerator<number> {
    try {
      for (let page = 1; page <= count; page += 1) {
        source.asked += 1;
        if (page === failsAt) throw new Error(`page ${page} failed`);
        yield page;
      }
    } finally {
      source.closed = true;
    }
  }
  return source;
}

describe('pages read ahead', () => {
  it('come all and in order, each asked for while the one before is dealt with', async () => {
    const source = createSource(3);
    const seen: [page: number, asked: number][] = [];
    for await (const page of readAhead(source.pages)) {
      await Promise.resolve();
      seen.push([page, source.asked]);
    }
    expect(seen).toEqual([
      [1, 2],
      [2, 3],
      [3, 3],
    ]);
    expect(source.closed).toBe(true);
  });

  it('tell of a failure after the pages before it', async () => {
    const source = createSource(3, 2);
    const seen: number[] = [];
    const reading = (async () => {
      for await (const page of readAhead(source.pages)) {
        // The failed one is settled by now, and nobody asked for it: no rejection may be left unheard.
        await new Promise<void>((resolve) => setImmediate(resolve));
        seen.push(page);
      }
    })();
    await expect(reading).rejects.toThrow('page 2 failed');
    expect(seen).toEqual([1]);
  });

  it('close their source when they are left early', async () => {
    const source = createSource(9);
    for await (const page of readAhead(source.pages)) if (page === 2) break;
    expect(source.closed).toBe(true);
    expect(source.asked).toBe(3);
  });

  it('close their source when dealing with a page fails, though the next one fails too', async () => {
    const source = createSource(3, 2);
    const reading = (async () => {
      for await (const page of readAhead(source.pages)) throw new Error(`no use for page ${page}`);
    })();
    await expect(reading).rejects.toThrow('no use for page 1');
    expect(source.closed).toBe(true);
  });
});
