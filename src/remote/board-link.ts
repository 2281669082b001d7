// A one-time link to the board as the daemon gives it, under the address by which the daemon is known here.

import type { AnswerOf } from './documented.ts';

export interface BoardLink {
  /** Works once. */
  url: string;
  /** Epoch ms. */
  expiresAt: number;
}

/** The link under the address by which the daemon is known here: a proxy in front may not tell it its own. */
export function linkAt(address: string, { url, expires_at }: AnswerOf<'/api/links', 'post'>): BoardLink {
  const key = new URL(url).searchParams.get('key') ?? '';
  return { url: `${new URL(address).origin}/open?key=${key}`, expiresAt: Date.parse(expires_at) };
}
