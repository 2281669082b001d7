// A one-time link to the board as the daemon gives it, under the addresses by which the daemon is known here and elsewhere.

export interface BoardLink {
  /** Works once. */
  url: string;
  /** The same for a browser on another machine. */
  elsewhere: string;
  /** Epoch ms. */
  expiresAt: number;
}

/** @param outside by which a proxy in front is called; null for none */
export function linkAt(
  address: string,
  outside: string | null,
  { url, expires_at }: { url: string; expires_at: string },
): BoardLink {
  const key = new URL(url).searchParams.get('key') ?? '';
  const at = (where: string) => `${new URL(where).origin}/open?key=${key}`;
  return { url: at(address), elsewhere: at(outside ?? address), expiresAt: Date.parse(expires_at) };
}
