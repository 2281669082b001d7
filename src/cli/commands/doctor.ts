// `taskroom doctor`: looks for what is wrong with the machine, the room and its files.
import { isRoomError } from '../../core/errors.ts';
import type { Finding } from '../../tasks/task-room.ts';
import type { Call, CommandModule } from '../command.ts';
import { OK, UNHEALTHY } from '../exit-codes.ts';
import { findingLines } from '../lines/row.ts';
import { fitsRange } from '../node-version.ts';
import { readNodeRange, withDocsFolder } from '../version.ts';

export const command: CommandModule = {
  about: 'Looks for what is wrong with Node, the room, its agents and files, and says how to mend each.',
  arguments: [],
  options: [['--hooks', 'only which webhooks arrive, and what is missing; nobody is asked']],
  examples: {
    'taskroom doctor': 'look at the room this folder is in',
    'taskroom doctor --hooks': 'what arrived from trackers, and what to set up there',
    'taskroom doctor --json | jq \'.checks[] | select(.state != "ok")\'': 'only what is not well',
  },
  notes:
    'Exit code 0 when nothing fails, else 6. Warnings do not count.\nWith --json: {"healthy","checks":[{"name","state","text","hint"}]}; state is ok, warn or fail. With --hooks: {"healthy","address","checks":[{"about","state","text","hint"}],"deliveries":[{"provider","chore","what","count","at"}]}; chore is null for those that concern none.',
  async run(call) {
    const found = [checkNode(), ...(await checkRoom(call))];
    const findings = found.map((finding) => ({
      ...finding,
      text: withDocsFolder(finding.text),
      hint: finding.hint === null ? null : withDocsFolder(finding.hint),
    }));
    const healthy = findings.every((finding) => finding.state !== 'fail');
    if (call.json) call.terminal.write(`${JSON.stringify({ healthy, checks: findings })}\n`);
    else call.terminal.write(render(findings, call));
    return healthy ? OK : UNHEALTHY;
  },
};

function checkNode(): Finding {
  const range = readNodeRange();
  const { node } = process.versions;
  if (fitsRange(node, range)) return { name: 'node', state: 'ok', text: `Node ${node}`, hint: null };
  const text = `Node ${node} is outside ${range}`;
  return { name: 'node', state: 'fail', text, hint: 'install a newer Node: https://nodejs.org' };
}

async function checkRoom(call: Call): Promise<Finding[]> {
  try {
    const runtime = await call.openRoom({ readOnly: true });
    return (await runtime.tasks.call('examine', {}, runtime.caller)).checks;
  } catch (error) {
    if (!isRoomError(error)) throw error;
    return [{ name: 'room', state: 'fail', text: error.message, hint: error.hint ?? null }];
  }
}

function render(findings: readonly Finding[], { paint }: Call): string {
  const lines = findings.flatMap((finding) => findingLines(finding.name, 12, finding, paint));
  const count = (state: Finding['state']) => findings.filter((finding) => finding.state === state).length;
  lines.push('', `${count('ok')} well, ${count('warn')} to look at, ${count('fail')} failing`);
  return `${lines.join('\n')}\n`;
}
