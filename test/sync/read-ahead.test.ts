import { describe, expect, it } from 'vitest';
import { readAhead } from '../../src/sync/pull.ts';

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
  it('come all and in order, as many at a time as have come, no more than a few ahead', async () => {
    const source = createSource(9);
    const seen: number[] = [];
    const sizes: number[] = [];
    for await (const pages of readAhead(source.pages)) {
      seen.push(...pages);
      sizes.push(pages.length);
      // All that may be asked for ahead has come by then.
      await new Promise<void>((resolve) => setImmediate(resolve));
      expect(source.asked).toBe(Math.min(9, seen.length + 4));
    }
    expect(seen).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9]);
    expect(sizes).toEqual([1, 4, 4]);
    expect(source.closed).toBe(true);
  });

  it('tell of a failure after the pages before it', async () => {
    const source = createSource(3, 2);
    const seen: number[] = [];
    const reading = (async () => {
      for await (const pages of readAhead(source.pages)) {
        // The failed one is settled by now, and nobody asked for it: no rejection may be left unheard.
        await new Promise<void>((resolve) => setImmediate(resolve));
        seen.push(...pages);
      }
    })();
    await expect(reading).rejects.toThrow('page 2 failed');
    expect(seen).toEqual([1]);
  });

  it('close their source when they are left early', async () => {
    const source = createSource(20);
    for await (const pages of readAhead(source.pages)) if (pages.includes(2)) break;
    expect(source.closed).toBe(true);
    expect(source.asked).toBeLessThan(12);
  });

  it('close their source when dealing with a page fails, though the next one fails too', async () => {
    const source = createSource(3, 2);
    const reading = (async () => {
      for await (const pages of readAhead(source.pages)) throw new Error(`no use for page ${pages}`);
    })();
    await expect(reading).rejects.toThrow('no use for page 1');
    expect(source.closed).toBe(true);
  });
});
