// Old texts of files as the ledger holds them: deflated, since most are never read again.

// Loaded when first used: commands that only read need it never.
const zlib = () => process.getBuiltinModule('node:zlib');

export function packText(text: string): Uint8Array {
  return zlib().deflateRawSync(text, { level: 1 });
}

/** Null for a column that holds none. */
export function unpackText(blob: unknown): string | null {
  return blob instanceof Uint8Array ? zlib().inflateRawSync(blob).toString('utf8') : null;
}
