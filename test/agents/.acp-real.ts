import { openStage } from '/work/wt/d/test/agents/stage.ts';
import { readdirSync, readFileSync } from 'node:fs';
const name = process.argv[2] as any;
const more = JSON.parse(process.argv[3] ?? '{}');
const stage = await openStage(name);
try {
  stage.configure({ runner: 'acp', ...more });
  stage.room.save('tasks/Note.md', '---\nid: note1\n---\n## Task\nLook at it.\n');
  const t = Date.now();
  const ran = await stage.run('once');
  console.log('once', ran.code, Date.now() - t, ran.stdout.slice(-1500), ran.stderr.slice(-1500));
  console.log(stage.room.read('tasks/Note.md'));
  const turns = JSON.parse((await stage.run('turns', 'Note', '--json')).stdout).turns;
  console.log(JSON.stringify(turns[0]));
  console.log((await stage.run('log', 'Note')).stdout.slice(-3000));
  for (const turn of turns.slice(0, 1)) console.log(readFileSync(stage.room.at(`.taskroom/turns/${turn.id}/output.log`), 'utf8').slice(0, 6000));
} finally {
  await stage.close();
}
