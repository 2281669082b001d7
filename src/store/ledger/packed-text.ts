// Old texts of files as the ledger holds them: long ones deflated, since most are never read again.

// Loaded when first used: most commands need it never.
const zlib = () => process.getBuiltinModule('node:zlib');

// Deflating less than this saves no page of the ledger.
const DEFLATED_FROM_BYTES = 2048;
/** Stands before a text that is not deflated: no deflated one can start so (a block type that is none). */
const PLAIN = 0x07;

export function packText(text: string): Uint8Array {
  const bytes = Buffer.byteLength(text);
  if (bytes >= DEFLATED_FROM_BYTES) return zlib().deflateRawSync(text, { level: 1 });
  const plain = Buffer.allocUnsafe(bytes + 1);
  plain[0] = PLAIN;
  plain.write(text, 1);
  return plain;
}

/** Null for a column that holds none. */
export function unpackText(blob: unknown): string | null {
  if (!(blob instanceof Uint8Array)) return null;
  if (blob[0] !== PLAIN) return zlib().inflateRawSync(blob).toString('utf8');
  return Buffer.from(blob.buffer, blob.byteOffset + 1, blob.byteLength - 1).toString('utf8');
}
