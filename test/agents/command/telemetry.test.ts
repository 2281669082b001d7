// What a program's telemetry says of its model's last answer, for programs whose stream says nothing of it.
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { createOutputFollower } from '../../../src/agents/command/output-reader.ts';
import { telemetryFile } from '../../../src/agents/command/presets/preset.ts';
import { PRESETS } from '../../../src/agents/command/presets.ts';
import { createNodeEffects } from '../../../src/node.ts';
import { tempFolder } from '../../support/temp-folder.ts';

let dir: string;
beforeEach(() => {
  dir = tempFolder('taskroom-telemetry');
  writeFileSync(join(dir, 'output.log'), '{"type":"result","status":"success"}\n');
});

async function troubleWith(telemetry: string | null) {
  if (telemetry !== null) writeFileSync(telemetryFile(dir), telemetry);
  const follower = createOutputFollower(PRESETS.gemini, dir, createNodeEffects());
  await follower.finish();
  expect(existsSync(telemetryFile(dir))).toBe(false);
  return follower.report().trouble;
}
const said = (...reasons: string[]) =>
  `{\n "gen_ai.response.finish_reasons": ${JSON.stringify(reasons, null, 1)}, "x": 1 }\n`;

test('a last answer that was cut off or withheld is trouble, whatever the stream says', async () => {
  expect(await troubleWith(said('stop') + said('stop', 'length'))).toMatchObject({
    kind: 'answer',
    message: "its model's answer ended: length",
  });
  expect(await troubleWith(said('content_filter'))).toMatchObject({ kind: 'answer' });
  expect(await troubleWith(' '.repeat(3 * 2 ** 20) + said('length'))).toMatchObject({ kind: 'answer' });
});

test('a whole answer, words that nobody knows and no telemetry are none', async () => {
  for (const text of [
    null,
    '',
    'torn "gen_ai.response.finish_rea',
    said(),
    said('tool_calls'),
    said('novel'),
  ])
    expect(await troubleWith(text), String(text)).toBeNull();
  expect(await troubleWith(said('length') + said('stop'))).toBeNull();
});
