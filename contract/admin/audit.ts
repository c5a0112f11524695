import * as z from 'zod';
import { message, method, requestMessage, service } from '../rpc/rpc.ts';
import { enumeration, instant, list, nextPage, paging, reference, text } from '../values/fields.ts';

/**
 * The type of a caller. USER: a person. SERVICE: a headless client. SYSTEM: one of the deployment's own Lambdas.
 * VENDOR: a supporter.
 */
export const ActorType = enumeration('ActorType', ['USER', 'SERVICE', 'SYSTEM', 'VENDOR']);
export type ActorType = z.output<typeof ActorType>;

/** The caller that made a change, or tried to. */
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

/** One changed field of the entity, with its values as text. A value is absent when the field was not set. */
export const AuditChange = message('AuditChange', { field: z.string(), old_value: z.string().optional(), new_value: z.string().optional() });

/**
 * The entry of a call that changed something, or tried to and failed. It never contains a secret or message content.
 */
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

/**
 * The actions in the audit log that are no methods: the change-request worker advances a request, the sweep of
 * registrations removes an unused client, and a person chooses a new password with a code that Cognito mailed.
 */
export const systemActions = {
  advanceChangeRequest: 'change-requests/AdvanceChangeRequest',
  removeClient: 'registration/RemoveUnusedClient',
  confirmForgotPassword: 'sign-in/ConfirmForgotPassword',
} as const;

/** The service /audit (docs/specification.md#audit). */
export const audit = service({
  name: 'audit',
  summary: 'The audit log: who changed what.',
  methods: {
    ListAuditLogs: method({
      summary: 'Lists the entries of the audit log, newest first.',
      roles: ['READ_ONLY'],
      request: {
        /** A prefix of the action: `domains/` or `domains/AddDomain`. */
        operation: text({ max: 128 }).optional(),
        actor: requestMessage({ actor_type: ActorType, actor_id: reference().optional() }, 'ActorFilter').optional(),
        ...paging({ max: 100, default: 50 }),
      },
      response: { audit_logs: list(AuditLog), ...nextPage },
    }),
    ListActors: method({
      summary: 'Lists the actors of one type that the audit log contains.',
      roles: ['READ_ONLY'],
      request: { actor_type: ActorType },
      response: { actors: list(Actor) },
    }),
    ListOperations: method({
      summary: 'Lists every action that the audit log can contain.',
      roles: ['READ_ONLY'],
      request: {},
      response: { operations: list(z.string()) },
    }),
  },
});
