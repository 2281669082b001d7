// An agent that asks and ends its turn, and finishes with the answers of the next one. The program stands in for Claude Code,
// with the real one's output.
import { chmodSync } from 'node:fs';
import { join } from 'node:path';
import type { E2eRoom } from './room.ts';

const OUTPUT = join(import.meta.dirname, '../fixtures/agents/output/claude-works.txt');
export const SESSION = '8b1b755a-a6c2-4433-a84f-d09e63358d7d';

/** Asks when nothing was answered yet; else finishes with what it was given. */
const AGENT = `#!/bin/sh
cat > "$AGENT_ROOM/prompt.md"
echo "$*" >> "$AGENT_ROOM/calls.log"
if grep -q '^## Answers' "$AGENT_ROOM/prompt.md"; then
  sed -n '/· answer ·/,/^.*end /p' "$AGENT_ROOM/prompt.md" | taskroom outcome -
  taskroom done
else
  taskroom ask 'Which of the two tables?'
  taskroom answer "$TASKROOM_TASK" 'Mine.' 2>> "$AGENT_ROOM/refused.log"
fi
cat "${OUTPUT}"
`;

/** Makes it the agent `claude` of the room. */
export function addAsker(room: E2eRoom): void {
  room.save('programs/claude', AGENT);
  chmodSync(room.at('programs/claude'), 0o755);
  room.daemonEnv.PATH = `${room.at('programs')}:${process.env.PATH}`;
  room.agent('claude', { preset: 'claude' });
}

/** The arguments of each of its turns. */
export const callsIn = (room: E2eRoom): string[] => room.read('calls.log').trim().split('\n');

/** A chore that mirrors this for it. */
export function saveMirror(room: E2eRoom, ...mirror: string[]): void {
  const lines = [...mirror, 'owner: claude'].map((line) => `  ${line}`);
  room.save('chores/web.md', ['---', 'schedule: every 1s', 'mirror:', ...lines, '---', ''].join('\n'));
}
