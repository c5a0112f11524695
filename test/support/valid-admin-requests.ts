import * as z from 'zod';
import { everyMethod } from './admin-api.ts';

type Schema = {
  type?: string;
  format?: string;
  enum?: unknown[];
  default?: unknown;
  anyOf?: Schema[];
  $ref?: string;
  properties?: Record<string, Schema>;
  required?: string[];
  minimum?: number;
  maximum?: number;
  maxLength?: number;
  maxItems?: number;
};

/**
 * A value that the schema accepts. It depends on the field's name if the contract is stricter than its JSON Schema.
 */
const validValue = (name: string, schema: Schema): unknown => {
  if (schema.enum) return schema.enum[0];
  if (/email|address|recipient|reply_to|bcc/.test(name)) return 'someone@else.test';
  if (name === 'domain') return 'new.test';
  if (name === 'log_group') return '/aws/lambda/Postrider-deliver';
  if (schema.format === 'date-time') return '2026-11-21T08:38:00Z';
  const byType: { [type: string]: unknown } = { string: 'a', integer: schema.minimum ?? 1, boolean: true, array: [], object: {} };
  return byType[schema.type ?? ''];
};

const schemaOf = (method: { request: z.ZodType }): Schema => {
  const full = z.toJSONSchema(method.request, { io: 'input' }) as Schema & { $defs?: Record<string, Schema> };
  const resolved = (schema: Schema): Schema => (schema.$ref ? (full.$defs?.[schema.$ref.replace('#/$defs/', '')] ?? {}) : schema);
  const properties = Object.entries(full.properties ?? {}).map(([name, schema]) => [name, resolved(schema)] as const);
  return { ...full, properties: Object.fromEntries(properties) };
};

/** Fields that a method requires although its schema declares them optional. */
const additionalFields: { readonly [path: string]: object } = {
  '/change-requests/CreateChangeRequest': { ses_sending_limit: { use_case: 'Receipts', desired_max_24h_send: 50_000 } },
  '/accounts/RestoreEmails': { email_ids: ['M1'] },
  '/domains/SendTestEmail': { from_email: 'someone@else.test', to_email: 'someone@else.test' },
  '/mail-feedback/ListSentMessages': { address: 'someone@else.test' },
};

/** Every method with a request that its schema accepts. The ids in the request are unknown. */
export const validRequests = everyMethod.map(({ path, method }) => {
  const schema = schemaOf(method);
  const properties = schema.properties ?? {};
  const required = schema.required ?? [];
  const requiredFields = Object.fromEntries(required.map((name) => [name, validValue(name, properties[name]!)]));
  return { path, properties, required, request: { ...requiredFields, ...additionalFields[path] } };
});
