// The coding agents of this machine, for who makes a room.
export { type CodingAgent, findCodingAgents } from '../../agents/command/examine.ts';
