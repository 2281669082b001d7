// Keys of a front matter that are none of ours and look like one of ours mistyped. They are kept like every unknown key,
// and told, since whoever typed them most likely meant the other.
import { editDistance } from '../document/suggest.ts';

// A short word is one letter away from too many others.
const SHORTEST = 5;

/** The known key that `key` most likely stands for; null for a known key, and for one that is like none. */
export function nearKey(key: string, known: readonly string[]): string | null {
  if (known.includes(key)) return null;
  const plain = plainOf(key);
  return (
    known.find((one) => plainOf(one) === plain) ??
    known.find((one) => one.length >= SHORTEST && editDistance(one, key.toLowerCase()) === 1) ??
    null
  );
}

/** `Blocked-By`, `blockedBy` and `blocked by` are one word. */
function plainOf(key: string): string {
  return key.toLowerCase().replace(/[-_ ]/g, '');
}
