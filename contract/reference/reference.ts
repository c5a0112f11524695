import { services } from '../admin/index.ts';
import { errorCodes } from '../rpc/error-codes.ts';
import { commonErrors, type Service } from '../rpc/rpc.ts';
import { enumDescriptions, messageDescriptions, methodDescriptions, typeInWords, type FieldDescription, type MethodDescription } from './description.ts';

const code = (text: string): string => `\`${text}\``;
/** The anchor of a message's heading, as GitHub and other renderers derive it. */
const anchor = (name: string): string => `#${name.toLowerCase()}`;

const typeCell = (field: FieldDescription): string => {
  if (field.type === undefined) return typeInWords(field).replaceAll('|', '\\|');
  return `${field.repeated ? 'list of ' : ''}[${field.type}](${anchor(field.type)})`;
};

const rulesCell = (field: FieldDescription, inRequest: boolean): string =>
  [
    inRequest && field.required ? 'required' : '',
    !inRequest && !field.required && field.default === undefined ? 'may be absent' : '',
    inRequest && field.default !== undefined ? `default ${code(JSON.stringify(field.default))}` : '',
    inRequest ? field.limits : '',
  ]
    .filter(Boolean)
    .join('; ');

const table = (fields: readonly FieldDescription[], inRequest: boolean): string =>
  ['| Field | Type | |', '|---|---|---|', ...fields.map((field) => `| ${code(field.name)} | ${typeCell(field)} | ${rulesCell(field, inRequest)} |`)].join('\n');

const part = (title: string, fields: readonly FieldDescription[], inRequest: boolean): string =>
  fields.length > 0 ? `${title}\n\n${table(fields, inRequest)}` : `${title}: empty.`;

const methodPage = (method: MethodDescription): string =>
  [
    `### ${method.name}`,
    `${code(`POST /${method.service}/${method.name}`)}. ${method.summary}`,
    method.aliasOf ? `Another name of ${code(method.aliasOf)}.` : '',
    part('Request', method.request, true),
    part('Response', method.response, false),
    method.errors.length > 0 ? `Errors besides those of every method: ${method.errors.map(code).join(', ')}.` : '',
    `Roles: ${['ALL', ...method.roles].join(', ')}.`,
    method.changes ? 'Each call is in the audit log.' : '',
  ]
    .filter(Boolean)
    .join('\n\n');

const servicePage = ({ name, path, summary }: Service): string =>
  [
    `## ${path}`,
    summary,
    ...methodDescriptions()
      .filter(({ service }) => service === name)
      .map(methodPage),
  ].join('\n\n');

const commonErrorCodes = commonErrors.map(code).join(', ');

const introduction = `# Admin API

\`npm run docs\` makes this page from \`contract/\`. The same API as an OpenAPI 3.1 document: [openapi.json](openapi.json).

Every operation is \`POST {adminApiUrl}/<service>/<Method>\` with a JSON object as its body and \`Authorization: Bearer <access token>\`.
The URL is the stack's output \`adminApiUrl\`. The token belongs to an admin, or to a machine with the scope \`adminApi/ADMIN\`.
Names of fields are snake_case; requests may use lowerCamelCase. Requests with unknown fields are refused.
Responses contain every list, also an empty one, and leave out absent optional fields.

From a terminal: \`npx postrider-admin domains AddDomain --domain example.com\`; see \`npx postrider-admin --help\`.
In place of \`--account-id\`, \`--user-id\`, \`--domain-id\` and \`--group-id\`, it has \`--account\`, \`--user\`, \`--domain\` and \`--group\`, which take an address, a name or an id.
From TypeScript: \`contract/client.ts\`.

## Errors

Every response with a status other than 200 is \`{"code": "…", "message": "…"}\`. Every method may answer ${commonErrorCodes}.

| Code | HTTP status |
|---|---|
${Object.entries(errorCodes)
  .map(([name, status]) => `| ${code(name)} | ${status} |`)
  .join('\n')}`;

/** The reference of the admin API as one Markdown page. */
export const adminApiReference = (): string =>
  `${[
    introduction,
    ...Object.values(services as { readonly [name: string]: Service }).map(servicePage),
    '## Messages',
    ...messageDescriptions().map(({ name, fields }) => `### ${name}\n\n${table(fields, false)}`),
    '## Enumerations',
    ...enumDescriptions().map(({ name, values }) => `### ${name}\n\n${values.map(code).join(', ')}`),
  ].join('\n\n')}\n`;
