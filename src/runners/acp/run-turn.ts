// One turn of an agent that speaks the protocol: its process, the conversation with it, and the outcome of both.

import { createOutputFollower } from '../command/output-follower.ts';
import { prepareProgram } from '../command/prepare-preset.ts';
import { dropsSession, judge } from '../command/verdict.ts';
import { runProcess } from '../process/run-process.ts';
import { failure } from '../process/turn-outcome.ts';
import { type Outcome, type RunInput, type RunnerEvent, StopTurn } from '../runner.ts';
import { outcomeOf } from './outcome.ts';
import { ACP_FORMAT } from './output-reader.ts';
import { programOf } from './programs.ts';
import { createTalk } from './talk.ts';

export async function* runAcpTurn(input: RunInput): AsyncGenerator<RunnerEvent, Outcome, void> {
  const program = programOf(input.agent);
  const { agent, dir, mcp = null } = input;
  const preparing = await prepareProgram(input, program.argv, (place) =>
    program.prepare({ agent, dir, spool: input.reach.spool, mcp, ...place }),
  );
  if (!preparing.ok) return failure('exit', preparing.message);
  const { launch, told } = preparing;
  const { hasMcp, session = {}, mode = null } = told;
  const setup = { mcp: hasMcp ? null : mcp, words: session, mode, namesModel: program.namesModel };
  const halt = new AbortController();
  if (input.signal.aborted) halt.abort(input.signal.reason);
  const talk = createTalk(input, launch.cwd, setup, halt);
  const running = runProcess({ ...input, signal: halt.signal }, launch, talk.begin);
  const follower = createOutputFollower(ACP_FORMAT, input.dir, input.effects);
  try {
    for (;;) {
      const next = await running.next();
      if (next.done) {
        const said = await talk.end();
        yield* await follower.finish();
        const ended = await outcomeOf(input, program, next.value, said);
        // It was us who ended it.
        if (said.asked && ended.reason === 'ok') return ended;
        if (dropsSession(ended, follower.told())) yield { type: 'session', id: null };
        return judge(ended, follower.told(), program, input.agent.id);
      }
      if (next.value.type === 'output') yield* await follower.read();
      if (follower.isHopeless()) talk.stop();
      if (next.value.type !== 'tick') yield next.value;
    }
  } finally {
    // Abandoned, or a bug: what holds our pipes ends with us.
    halt.abort(new StopTurn('interrupted'));
    while (!(await running.next()).done);
  }
}
