// The types that a typed client takes of the API are those of the document that is served now.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { httpTypes } from '../../../scripts/http-types.mjs';
import { serveRoom } from './served-room.ts';

const FILE = join(import.meta.dirname, '../../../src/remote/http-document.d.ts');

test('the types are those of the document as it is served; mend: node scripts/http-types.mjs', async () => {
  const room = await serveRoom();
  try {
    const { body } = await room.ask('GET', '/api/openapi.json');
    // Compared as one truth, without thousands of lines of a difference.
    expect((await httpTypes(body)) === readFileSync(FILE, 'utf8')).toBe(true);
  } finally {
    await room.close();
  }
});
