// What every queue of turns must do, whatever hands them out: the ledger to this process, or an engine to workers. A new
// one passes this suite before anything uses it.
import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { forEachTest } from '../support/for-each-test.ts';

export type Handed = { id: string; thread: string; attempt: number };

/** The common part of handing turns out. */
export interface HandingOut {
  /** False, or joined with the one before, while a turn of its thread is not over. */
  send(id: string, thread: string, priority: number): Promise<void>;
  fetch(most: number): Promise<Handed[]>;
  complete(turn: Handed): Promise<boolean>;
  cancel(turn: { id: string; thread: string }): Promise<void>;
}

export interface WorkQueueUnderTest extends HandingOut {
  /** The same turns seen by a fresh handle, as after a restart. */
  reopen(): Promise<HandingOut>;
  close(): Promise<void>;
}

export const newId = (): string => randomUUID();

export function workQueueConformance(name: string, open: () => Promise<WorkQueueUnderTest>): void {
  describe(`handing turns out: ${name}`, () => {
    const queue = forEachTest(() => open());

    it('hands out by priority, then age', async () => {
      const sent = [
        ['old', 1],
        ['urgent', 3],
        ['young', 1],
        ['last', 0],
      ] as const;
      for (const [thread, priority] of sent) await queue.send(newId(), thread, priority);
      const handed = await queue.fetch(4);
      expect(handed.map(({ thread }) => thread)).toEqual(['urgent', 'old', 'young', 'last']);
    });

    it('gives no more than was asked for, and each turn once', async () => {
      for (let at = 0; at < 5; at += 1) await queue.send(newId(), `thread-${at}`, 1);
      const first = await queue.fetch(2);
      const rest = await queue.fetch(10);
      expect([first.length, rest.length]).toEqual([2, 3]);
      expect(new Set([...first, ...rest].map(({ id }) => id)).size).toBe(5);
      expect(await queue.fetch(10)).toEqual([]);
    });

    it('serialises a thread: while its turn is at work nothing of it is handed out', async () => {
      await queue.send(newId(), 'a', 1);
      const [turn] = await queue.fetch(1);
      await queue.send(newId(), 'a', 9);
      await queue.send(newId(), 'b', 1);
      expect((await queue.fetch(5)).map(({ thread }) => thread)).toEqual(['b']);
      expect(await queue.complete(turn!)).toBe(true);
    });

    it('ends a turn once', async () => {
      await queue.send(newId(), 'a', 1);
      const [turn] = await queue.fetch(1);
      expect(await queue.complete(turn!)).toBe(true);
      expect(await queue.complete(turn!)).toBe(false);
    });

    it('hands out no turn that was taken back', async () => {
      const id = newId();
      await queue.send(id, 'a', 1);
      await queue.cancel({ id, thread: 'a' });
      expect(await queue.fetch(1)).toEqual([]);
      await queue.send(newId(), 'a', 1);
      expect(await queue.fetch(1)).toHaveLength(1);
    });

    it('survives a restart: what waits is handed out, what is at work is not', async () => {
      await queue.send(newId(), 'a', 2);
      await queue.send(newId(), 'b', 1);
      await queue.fetch(1);
      const again = await queue.reopen();
      expect((await again.fetch(5)).map(({ thread }) => thread)).toEqual(['b']);
    });
  });
}
