// One-time links by which a browser gets its session: a key in an address that works once, for five minutes, and is no token.
import type { Effects } from '../../../effects.ts';

export interface Links {
  /** @returns the key of a new one, and until when it works, epoch ms */
  create(): { key: string; expiresAt: number };
  isGood(key: string): boolean;
  /** True once for each key. */
  take(key: string): boolean;
}

const VALID_MS = 5 * 60_000;
const KEY_BYTES = 24;
/** A caller that asks for links for ever pushes out its own oldest. */
const MAX_OPEN = 20;

export function createLinks(effects: Pick<Effects, 'now' | 'randomBytes'>): Links {
  const open = new Map<string, number>();
  const isGood = (key: string) => (open.get(key) ?? 0) > effects.now();
  return {
    isGood,
    create() {
      const key = Buffer.from(effects.randomBytes(KEY_BYTES)).toString('base64url');
      const expiresAt = effects.now() + VALID_MS;
      const [oldest] = open.keys();
      if (open.size >= MAX_OPEN && oldest !== undefined) open.delete(oldest);
      open.set(key, expiresAt);
      return { key, expiresAt };
    },
    take(key) {
      const wasGood = isGood(key);
      open.delete(key);
      return wasGood;
    },
  };
}
