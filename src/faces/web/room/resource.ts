// What a view asks of the API and asks again when its topics were touched: the last answer stays until there is a new one.
import { type Signal, signal, useSignal, useSignalEffect } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import type { Address } from '../api/calls.ts';
import { ApiError, ask } from '../api/request.ts';
import { createPaced, type Paced } from './pace.ts';
import { TOPICS, type Topic } from './topics.ts';

/** Each counts how often it was touched. */
const counts = Object.fromEntries(TOPICS.map((topic) => [topic, signal(0)])) as Record<Topic, Signal<number>>;

export function touch(topics: Iterable<Topic>): void {
  for (const topic of topics) counts[topic].value += 1;
}

export function touchAll(): void {
  touch(TOPICS);
}

export interface Resource<T> {
  /** Null until the first answer. */
  value: T | null;
  error: ApiError | null;
  /** Asks again now. */
  again(): void;
}

const GAP_MS = 300;
const MOST_GAP_MS = 1_200;

/**
 * Asks for `path` and keeps asking while the view is shown.
 * @param path null asks for nothing
 * @param read how to ask, where that is more than one GET
 */
export function useResource<Told, T = Told>(
  path: Address<Told> | null,
  topics: readonly Topic[],
  read: (path: Address<Told>) => Promise<T> = ask as never,
): Resource<T> {
  const value = useSignal<{ path: string; value: T } | null>(null);
  const error = useSignal<ApiError | null>(null);
  const paced = useRef<Paced | null>(null);
  useEffect(() => {
    if (path === null) return;
    let isGone = false;
    const look = async () => {
      try {
        const got = await read(path);
        if (isGone) return;
        value.value = { path, value: got };
        error.value = null;
      } catch (fault) {
        if (isGone) return;
        if (!(fault instanceof ApiError)) throw fault;
        error.value = fault;
      }
    };
    error.value = null;
    const own = createPaced(look, GAP_MS, MOST_GAP_MS);
    paced.current = own;
    own.touch();
    return () => {
      isGone = true;
      own.stop();
    };
  }, [path]);
  const seen = useRef(0);
  useSignalEffect(() => {
    const sum = topics.reduce((all, topic) => all + counts[topic].value, 0);
    if (sum !== seen.current) paced.current?.touch();
    seen.current = sum;
  });
  const known = value.value;
  return {
    value: known !== null && known.path === path ? known.value : null,
    error: error.value,
    again: () => paced.current?.touch(),
  };
}
