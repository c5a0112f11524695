import * as z from 'zod';
import { enumeration, instant, list, nextPage, paging, reference, text } from '../fields.ts';
import { message, method, requestMessage, service } from '../rpc.ts';

/** USER: a person. SERVICE: a headless client. SYSTEM: the deployment itself. VENDOR: a supporter. */
export const ActorType = enumeration('ActorType', ['USER', 'SERVICE', 'SYSTEM', 'VENDOR']);
export type ActorType = z.output<typeof ActorType>;

export const Actor = message('Actor', {
  actor_type: ActorType,
  actor_id: z.string(),
  user_id: z.string().optional(),
  username: z.string().optional(),
  email: z.string().optional(),
  ip_address: z.string().optional(),
  user_agent: z.string().optional(),
  service_name: z.string().optional(),
});
export type Actor = z.input<typeof Actor>;

export const AuditChange = message('AuditChange', { field: z.string(), old_value: z.string().optional(), new_value: z.string().optional() });

/** One call that changed something or failed to. No secret and no content of a message is ever in it. */
export const AuditLog = message('AuditLog', {
  audit_id: z.string(),
  timestamp: instant(),
  entity_id: z.string(),
  entity_name: z.string(),
  /** `domains/AddDomain`, or one of {@link systemActions}. */
  action: z.string(),
  status: z.enum(['success', 'failure']),
  error_msg: z.string().optional(),
  actor: Actor,
  changes: list(AuditChange),
  metadata: z.record(z.string(), z.string()).default({}),
});
export type AuditLog = z.input<typeof AuditLog>;

/** Actions in the record that are no method: what the deployment does by itself. The worker of change requests moved one on, by what a provider said. */
export const systemActions = ['change-requests/AdvanceChangeRequest'] as const;

/** docs/choices.md §2. */
export const audit = service({
  name: 'audit',
  summary: 'Who changed what.',
  methods: {
    ListAuditLogs: method({
      summary: 'The record, newest first.',
      request: {
        /** The action begins so: `domains/` or `domains/AddDomain`. */
        operation: text({ max: 128 }).optional(),
        actor: requestMessage({ actor_type: ActorType, actor_id: reference().optional() }, 'ActorFilter').optional(),
        ...paging({ max: 100, default: 50 }),
      },
      response: { audit_logs: list(AuditLog), ...nextPage },
    }),
    ListActors: method({
      summary: 'Everybody of a kind who is in the record.',
      request: { actor_type: ActorType },
      response: { actors: list(Actor) },
    }),
    ListOperations: method({
      summary: 'Every action that can be in the record.',
      request: {},
      response: { operations: list(z.string()) },
    }),
  },
});
