// A secret read from the environment, checked before it is sent anywhere: what no token can hold (a line end, a blank)
// would otherwise come back in a library's error, whole.

/** Visible ASCII, as RFC 6750 and every tracker have it. */
const TOKEN = /^[\x21-\x7e]+$/;

export function isToken(value: string): boolean {
  return TOKEN.test(value);
}

/** The token in `name`, null when it is not set; `missing` for one that is none. */
export function readToken(
  env: Readonly<Record<string, string | undefined>>,
  name: string,
): { token: string } | { missing: { what: string; set: string } } | null {
  const token = env[name]?.trim();
  if (!token) return null;
  if (isToken(token)) return { token };
  const what = `a usable ${name} (the one that is set holds a character no token has: a blank, a line end, …)`;
  return { missing: { what, set: `Set ${name} again, as one line without blanks.` } };
}
