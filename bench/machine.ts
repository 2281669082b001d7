// Where the figures were taken, in words.
import { cpus, loadavg, release, totalmem, type } from 'node:os';

export function describeMachine(): string {
  const processors = cpus();
  const model = processors[0]?.model.trim() ?? 'unknown processor';
  const memory = `${(totalmem() / 2 ** 30).toFixed(0)} GiB`;
  const load = loadavg()[0]!.toFixed(1);
  return `${processors.length} cores (${model}), ${memory}, ${type()} ${release()}, Node ${process.versions.node}, SQLite ${process.versions.sqlite ?? ''}, load ${load} at the start`;
}
