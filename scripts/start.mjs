// `npm start`: runs a temporary copy of agent-room-example in the foreground, and removes it at the end unless told to --keep
// it. With CI=true or --exit-when-idle it ends by itself once nothing is left to do. Its mirrors point at two servers of this
// machine, started here.
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = path.dirname(path.dirname(fileURLToPath(import.meta.url)));

/** A copy of the example that may be written to: what an earlier run in the original left is not taken along. */
function copyExample() {
  const parent = tmpdir();
  let dir;
  try {
    dir = mkdtempSync(path.join(parent, 'taskroom-'));
    const source = path.join(ROOT, 'agent-room-example');
    const leftovers = new Set(['.taskroom', 'artifacts', 'archive', 'history.jsonl']);
    for (const name of readdirSync(source)) {
      if (!leftovers.has(name)) cpSync(path.join(source, name), path.join(dir, name), { recursive: true });
    }
    return dir;
  } catch (error) {
    if (dir !== undefined) rmSync(dir, { recursive: true, force: true });
    throw new Error(
      `can't put the example room into ${parent}: ${error.message}; set TMPDIR to a folder that can be written`,
    );
  }
}

/** Points the copy's mirrors at the servers that really run. */
function setAddresses(dir, services) {
  const addresses = { 'web-issues': services.githubUrl, 'app-issues': services.linearUrl };
  for (const [chore, url] of Object.entries(addresses)) {
    const file = path.join(dir, 'chores', `${chore}.md`);
    writeFileSync(file, readFileSync(file, 'utf8').replace(/^ {2}url: .*$/m, `  url: ${url}`));
  }
}

const quote = (word) => (/^[\w./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`);

/** What to try next, as commands with what they do, and what becomes of the room. */
function tourOf(dir, program, services, { exitWhenIdle, keep }) {
  const room = `--room ${quote(dir)}`;
  const file = (name) => quote(`${dir}/tasks/${name}.md`);
  const hello = '"$(printf \'```sh run\\necho hello\\n```\')"';
  const tries = [
    exitWhenIdle
      ? [`${program} up ${room}`, 'run the room again, and keep it running for what follows']
      : [`${program} open ${room}`, 'the board in your browser: what runs, what needs you, every task'],
    [`cat ${file('Count the words')}`, 'what was written into the file: ticked steps, Progress, Outcome'],
    [`cat ${file('Search is slow (web#2)')}`, 'a question of its agent, and the answer from its issue'],
    [`${program} show 'Greet people by name' ${room}`, 'its pull request: the review, and what came of it'],
    [`${program} edit 'Broken on purpose' ${room}`, 'put quotes around its title and save: it runs at once'],
    [`${program} resume 'Water the plants' ${room}`, 'let the paused task run'],
    [`${program} new 'My first task' ${hello} ${room}`, 'a task whose block the runbook runs at once'],
    [`${program} log 'Count the words' ${room}`, 'the output of its last turn'],
    [`${program} mirror list ${room}`, 'which task is which issue'],
    [`${program} list ${room}`, 'how things stand'],
  ];
  if (exitWhenIdle) {
    if (!keep) return { steps: [], end: 'The room is removed now; `npm start -- --keep` keeps it.' };
    const end = `The room stays in ${dir}. Its two trackers ended with this run: syncs fail from now on, and say why.`;
    return { steps: [{ heading: 'What to try next', tries }], end };
  }
  const steps = [
    { heading: 'What to try next, in another terminal', tries },
    { heading: 'Its trackers', tries: services.call(program, room) },
  ];
  const stays = keep ? `It stays in ${dir}.` : 'It is removed at its end; `npm start -- --keep` keeps it.';
  return { steps, end: `The room keeps watching its files; Ctrl-C stops it. ${stays}` };
}

const OPTIONS = ['--exit-when-idle', '--keep'];

async function start(args) {
  const unknown = args.find((arg) => !OPTIONS.includes(arg));
  if (unknown !== undefined) throw new Error(`unknown option ${unknown}; known: ${OPTIONS.join(', ')}`);
  const keep = args.includes('--keep');
  const dir = copyExample();
  try {
    await run(dir, args, keep);
  } finally {
    if (!keep) rmSync(dir, { recursive: true, force: true, maxRetries: 3 });
  }
}

async function run(dir, args, keep) {
  const { runExample } = await import('../dist/program/run-example.cjs');
  const program = `node ${path.relative(process.cwd(), path.join(ROOT, 'dist/bin/bin.cjs'))}`;
  const exitWhenIdle = args.includes('--exit-when-idle') || /^(1|true)$/i.test(process.env.CI ?? '');
  const { startServices } = await import('./example-services.mjs');
  const services = await startServices();
  try {
    setAddresses(dir, services);
    services.addProject(dir);
    // The keys of these servers alone: a real one must never reach them.
    for (const name of ['GH_TOKEN', 'LINEAR_ACCESS_TOKEN']) delete process.env[name];
    Object.assign(process.env, services.env);
    const { describe: describeTrackers, people } = services;
    const tour = tourOf(dir, program, services, { exitWhenIdle, keep });
    process.exitCode = await runExample({ dir, program, exitWhenIdle, describeTrackers, people, ...tour });
  } finally {
    await services.close();
  }
}

start(process.argv.slice(2)).catch((error) => {
  process.stderr.write(`taskroom: ${error.message}\n`);
  process.exitCode = 1;
});
