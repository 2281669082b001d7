// What the loop knows of the way a turn's agent reports: opened before the agent starts, drained before the turn's end is
// recorded, closed after it. What passes over it is not the loop's business.
import type { TurnId } from '../../core/ids.ts';
import type { AgentTool, TurnMcpServer, TurnReach } from '../../runners/runner.ts';

export interface TurnBridge {
  readonly reach: TurnReach;
  /** How the turn's MCP server is started. */
  readonly mcp: TurnMcpServer;
  /** The tools of the turn's agent: what they ask goes the way of everything it reports. */
  tools(): Promise<readonly AgentTool[]>;
  /** Lets nothing more in, and resolves when all that came before is carried out. @throws RoomError `io` */
  drain(): Promise<void>;
  /** Stops serving; what was not carried out is taken up when it is opened again. */
  close(): Promise<void>;
}

export interface TurnBridges {
  /** Absolute path of the `taskroom` of turns. */
  readonly program: string;
  /**
   * @param onTrouble told of what fails behind the answers
   * @param elsewhere the turn's agent is on another machine
   * @throws RoomError `io`
   */
  open(turn: TurnId, onTrouble: (error: unknown) => void, elsewhere?: boolean): Promise<TurnBridge>;
}
