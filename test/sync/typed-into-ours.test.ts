// Words that a person types upstream into a comment of ours: kept here before the comment is edited.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { forEachTest } from '../support/for-each-test.ts';
import { editComment } from '../support/github-server/people.ts';
import { openGithubMirror } from './server-mirror.ts';

const rig = forEachTest(() => openGithubMirror());

for (const pull of [true, false])
  test(`M8: words typed into our Progress comment are in the attic and a note names them (pull: ${pull})`, async () => {
    const ref = await rig.mirrored({ title: 'One' });
    await rig.room.call('progress', { ref: rig.taskOf(ref), text: 'First step' });
    await rig.run();
    rig.tick();
    const [ours] = rig.issue(ref).comments;
    editComment(rig.server.state, ours!, `${ours!.body}\n\nPlease mind the cookies too.`);
    await rig.room.call('progress', { ref: rig.taskOf(ref), text: 'Second step' });
    await rig.run({ pull });
    expect(rig.issue(ref).comments[0]!.body).toContain('Second step');
    const kept = /is kept in `(\.taskroom\/attic\/[^`]+)`/.exec(rig.side(ref).notes)?.[1];
    expect(readFileSync(join(rig.room.dir, kept!), 'utf8')).toContain('Please mind the cookies too.');
    rig.tick();
    await rig.run();
    await rig.assertQuiet();
  });
