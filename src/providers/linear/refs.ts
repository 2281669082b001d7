// References as people write them, `ENG-12`, and the addresses that lead to them.
import { RoomError } from '../../core/errors.ts';
import type { RemoteRef, SourceConfig } from '../provider.ts';

const REF = /^([A-Z0-9]{1,10})-([1-9]\d{0,8})$/;
const ISSUE_PATH = /^(?:\/[^/]+)?\/issue\/([A-Za-z0-9]{1,10}-[1-9]\d{0,8})(?:\/[^/]*)?$/;

/** Team key and number. Throws RoomError `bad_input` for anything else. */
export function parseRef(ref: RemoteRef): { team: string; number: number } {
  const found = REF.exec(ref);
  if (!found) throw new RoomError('bad_input', `${JSON.stringify(ref)} is not a Linear issue such as ENG-12`);
  return { team: found[1]!, number: Number(found[2]) };
}

/** The issue a URL names: Linear's own, or any of that form on the host of `url:`. */
export function refOfUrl(text: string, config: SourceConfig): RemoteRef | null {
  const parsed = URL.parse(text);
  if (!parsed) return null;
  const hosts = ['linear.app', ...(config.url === null ? [] : [URL.parse(config.url)?.host])];
  if (!hosts.includes(parsed.host)) return null;
  return ISSUE_PATH.exec(parsed.pathname)?.[1]?.toUpperCase() ?? null;
}

/** Whether the ref is of the source's team. */
export function owns(ref: RemoteRef, config: SourceConfig): boolean {
  return REF.exec(ref)?.[1] === config.source.toUpperCase();
}
