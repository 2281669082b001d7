// Ids this side makes for what it creates, so that a second try is told from a first. Linear takes UUIDs of version 4
// alone. A key of up to 20 characters stands in the id itself and can be read back; a longer one is hashed into it.
import { createHash } from 'node:crypto';

/** In front of a key that can be read back: an id of anybody else hardly ever begins like this. */
const MARK = 0x7a5cn;
const BODY_BITS = 106n;
const LONGEST = 20;

export function uuidOfKey(key: string): string {
  if (!/^[0-9a-z]+$/.test(key)) throw new Error('not an idempotency key');
  if (key.length <= LONGEST) return format((MARK << BODY_BITS) | toNumber(`1${key}`));
  const digest = createHash('sha256').update(`taskroom:${key}`).digest('hex');
  return format(BigInt(`0x${digest}`) & ((1n << 122n) - 1n));
}

const LOW = (1n << 62n) - 1n;

/** The key an id was made of; null for any other id. */
export function keyOfUuid(id: string): string | null {
  const hex = id.replaceAll('-', '');
  if (!/^[0-9a-f]{12}4[0-9a-f]{3}[89ab][0-9a-f]{15}$/.test(hex)) return null;
  const high = BigInt(`0x${hex.slice(0, 12)}${hex.slice(13, 16)}`);
  const bits = (high << 62n) | (BigInt(`0x${hex.slice(16)}`) & LOW);
  if (bits >> BODY_BITS !== MARK) return null;
  const text = (bits & ((1n << BODY_BITS) - 1n)).toString(36);
  return text.startsWith('1') && text.length > 1 ? text.slice(1) : null;
}

/** 122 bits as a UUID of version 4. */
function format(bits: bigint): string {
  const high = (bits >> 62n).toString(16).padStart(15, '0');
  const low = ((bits & LOW) | (0b10n << 62n)).toString(16).padStart(16, '0');
  return `${high}${low}`.replace(/^(.{8})(.{4})(.{3})(.{4})/, '$1-$2-4$3-$4-');
}

function toNumber(text: string): bigint {
  return [...text].reduce((number, digit) => number * 36n + BigInt(Number.parseInt(digit, 36)), 0n);
}
