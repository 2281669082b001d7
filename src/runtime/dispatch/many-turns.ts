// Claims and reports of several turns in one request of a worker: each is answered as if it had been asked alone, and what
// they put on record shares its commits.
import { RoomError } from '../../core/errors.ts';
import { toWireError, type WireError } from '../../remote/wire.ts';
import type {
  ClaimedTurn,
  ManyAnswers,
  ManyTurns,
  ReportAnswer,
  WorkerReports,
} from '../../remote/worker-wire.ts';
import type { ApiToken } from '../api-tokens.ts';

/** Claims one turn, and reports of one. */
export interface OneTurn {
  /** @throws RoomError `not_allowed`, `conflict`, `gone`, `unavailable` */
  claim(token: ApiToken, turn: string, asked: { worker: string; attempt: number }): Promise<ClaimedTurn>;
  /** @throws RoomError `not_allowed`, `conflict`, `gone`, `unavailable` */
  report(token: ApiToken, reports: WorkerReports): Promise<ReportAnswer[]>;
}

/** Rejects with what is no RoomError alone. */
export async function manyTurns(
  desk: OneTurn,
  token: ApiToken,
  { worker, claims, reports }: ManyTurns,
): Promise<ManyAnswers> {
  const claimed = claims.map(({ turn, attempt }) =>
    answered(async () => ({ claimed: await desk.claim(token, turn, { worker, attempt }) })),
  );
  const reported = reports.map((each) =>
    answered(async () => ({ answers: await desk.report(token, { ...each, worker }) })),
  );
  return { claims: await Promise.all(claimed), reports: await Promise.all(reported) };
}

async function answered<Answer>(ask: () => Promise<Answer>): Promise<Answer | { error: WireError }> {
  try {
    return await ask();
  } catch (error) {
    if (error instanceof RoomError) return { error: toWireError(error) };
    throw error;
  }
}
