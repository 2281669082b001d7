// One report of a worker, applied to the turn it is about. Each is applied once: which were stands in the ledger with their
// answers, so that a worker that lost the answer asks again and gets the same.
import { RoomError } from '../../core/errors.ts';
import { toWireError } from '../../remote/wire.ts';
import type { DispatchedTable } from '../../store/ledger/turns/jobs.ts';
import type { OpenBridges } from '../bridge/turn-bridges.ts';
import { type ReportAnswer, TASK_SERVICES, type WorkerReport } from '../worker-protocol.ts';
import type { Branches } from './branches.ts';
import type { RemoteTurn } from './remote-turns.ts';
import { appendOutput } from './turn-files.ts';

export interface Applying {
  table: DispatchedTable;
  bridges: Pick<OpenBridges, 'get'>;
  branches: Pick<Branches, 'take'>;
}

/**
 * @param name of this report among all of the turn: where the host died before it was on record, its effect is there once
 * @throws what is no RoomError
 */
export async function applyReport(
  { table, bridges, branches }: Applying,
  remote: RemoteTurn,
  report: WorkerReport,
  name: string,
): Promise<ReportAnswer> {
  const { turn, dir } = remote.input;
  try {
    switch (report.kind) {
      case 'request': {
        const bridge = bridges.get(turn.id);
        if (bridge === undefined) throw new RoomError('unavailable', `turn ${turn.id} is not taken up yet`);
        return { kind: 'request', answer: await bridge.carry(report.text) };
      }
      case 'service':
        return { kind: 'service', result: (await serve(remote, report, name)) ?? null };
      case 'output': {
        const size = appendOutput(dir, report.offset, Buffer.from(report.data, 'base64'));
        remote.tell({ type: 'output', bytes: size });
        return { kind: 'output', size };
      }
      case 'started':
        remote.tell({ type: 'started', pid: null });
        break;
      case 'session':
        remote.tell({ type: 'session', id: report.id });
        break;
      case 'usage':
        remote.tell({ type: 'usage', usage: report.usage });
        break;
      case 'branch':
        await branches.take(remote.input, report);
        break;
      case 'left':
        table.update(turn.id, { worker: null });
        break;
      case 'end':
        // On record together with its answer, by whoever applies it.
        break;
    }
    return { kind: 'done' };
  } catch (error) {
    if (!(error instanceof RoomError)) throw error;
    return { kind: 'failed', error: toWireError(error) };
  }
}

async function serve(
  { input }: RemoteTurn,
  { name, args }: Extract<WorkerReport, { kind: 'service' }>,
  request: string,
): Promise<unknown> {
  const known = TASK_SERVICES.find((each) => each === name);
  if (known === undefined || input.services === undefined)
    throw new RoomError('not_allowed', `${JSON.stringify(name)} is nothing a runner does to its task`);
  const services = input.servicesFor?.(request) ?? input.services;
  const call = services[known] as (...args: unknown[]) => Promise<unknown>;
  return call(...args);
}
