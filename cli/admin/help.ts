import { services } from '../../contract/admin/index.ts';
import { messageDescription, methodDescriptions, typeInWords, type FieldDescription, type MethodDescription } from '../../contract/reference/description.ts';
import { table } from '../terminal/table.ts';
import { referencedField, references, referencesOf, type Reference } from './references.ts';
import { optionName } from './request-options.ts';

/** Indented rows of two columns. */
export const columns = (rows: readonly (readonly [string, string])[]): string => table(rows, '  ');

export const generalHelp = (): string => `The admin API of a Postrider deployment, from a terminal.

  postrider-admin SERVICE METHOD [OPTIONS]     postrider-admin domains AddDomain --domain example.com
  postrider-admin SERVICE --help               the methods of a service
  postrider-admin SERVICE METHOD --help        the options of a method
  postrider-admin login [OPTIONS]              sign in through the browser; see login --help
  postrider-admin logout                       delete the tokens and revoke them
  postrider-admin trace ADDRESS|MESSAGE-ID     what became of messages; see trace --help
  postrider-admin people apply FILE            make many people from a CSV file; see people --help
  postrider-admin people leave PERSON          somebody leaves; see people --help
  postrider-admin restore --to TIME            restore the deployment to a time, with your AWS credentials; see restore --help

Services:
${columns(Object.values(services).map(({ name, summary }) => [name, summary]))}

Options of every method:
${columns([
  ['--table', 'print a table instead of JSON'],
  ['--json JSON', 'the whole request as JSON, or - to read it from standard input; other options are added to it'],
  ['--outputs FILE', "the deployment: a file with the stack's outputs (cdk deploy --outputs-file FILE)"],
  ['--help', ''],
])}

A method with --account-id, --user-id, --domain-id or --group-id also has --account, --user, --domain or --group, which takes an address, a name or an id.

Environment: POSTRIDER_OUTPUTS, or POSTRIDER_ADMIN_API_URL and POSTRIDER_AUTH_URL, name the deployment; POSTRIDER_CLIENT_ID and
POSTRIDER_CLIENT_SECRET sign in as a headless client. Tokens are stored in $XDG_CONFIG_HOME/postrider, readable by you only.

Exit codes: 0 success, 1 the API refused the request or could not be reached, 2 wrong command line, 3 not signed in.`;

export const loginHelp = `Signs in with the browser and stores the deployment for later calls.

  postrider-admin login --outputs FILE
  postrider-admin login --admin-api-url URL --auth-url URL --client-id ID

${columns([
  ['--outputs FILE', "a file with the stack's outputs: adminApiUrl, authUrl, cliClientId"],
  ['--admin-api-url URL', 'the output adminApiUrl'],
  ['--auth-url URL', 'the output authUrl'],
  ['--client-id ID', 'the output cliClientId'],
  ['--no-browser', 'only print the URL of the sign-in page'],
])}

Without options it signs in to the stored deployment again.`;

export const serviceHelp = (service: MethodDescription['service']): string => `${services[service].summary}

Methods of ${service}:
${columns(
  methodDescriptions()
    .filter((method) => method.service === service)
    .map(({ name, summary }) => [name, summary]),
)}

postrider-admin ${service} METHOD --help lists a method's options.`;

const constraints = (field: FieldDescription): string =>
  [
    field.required ? 'required' : '',
    field.repeated ? 'may be repeated' : '',
    field.kind === 'enum' ? field.values.join(' | ') : '',
    field.limits,
    field.default === undefined ? '' : `default ${JSON.stringify(field.default)}`,
  ]
    .filter(Boolean)
    .join('; ');

const placeholder = (field: FieldDescription): string => {
  if (field.kind === 'boolean') return `${optionName(field.name)} | ${optionName(`no_${field.name}`)}`;
  const values = { text: 'TEXT', timestamp: 'TIMESTAMP', integer: 'NUMBER', number: 'NUMBER', enum: 'VALUE', map: 'JSON', message: 'JSON' } as const;
  return `${optionName(field.name)} ${values[field.kind]}`;
};

/** The help for an option such as `--user`. */
const referenceRow = (method: MethodDescription, name: Reference): readonly [string, string] => [
  `${optionName(name)} ${name.toUpperCase()}`,
  `in place of ${optionName(referencedField(method, name)!.field.name)}: ${references[name]}`,
];

/** The help for an option that takes a nested message as JSON. */
const messageHelp = (field: FieldDescription): string => {
  const { fields } = messageDescription(field.type ?? '');
  const rows = fields.map((inner) => [inner.name, [typeInWords(inner), constraints(inner)].filter(Boolean).join('; ')] as const);
  return `${optionName(field.name)} takes JSON with these fields:\n${columns(rows)}`;
};

export const methodHelp = (method: MethodDescription): string =>
  [
    `${method.summary}${method.aliasOf ? `\nAlias of ${method.aliasOf}.` : ''}`,
    `  postrider-admin ${method.service} ${method.name}${method.request.length > 0 ? ' [OPTIONS]' : ''}`,
    method.request.length > 0
      ? `Options:\n${columns([
          ...method.request.map((field) => [placeholder(field), constraints(field)] as const),
          ...referencesOf(method).map((name) => referenceRow(method, name)),
        ])}`
      : 'It has no options of its own.',
    ...method.request.filter(({ kind, type }) => kind === 'message' && type !== undefined).map(messageHelp),
    method.response.length > 0 ? `Response:\n${columns(method.response.map((field) => [field.name, typeInWords(field)]))}` : 'The response is empty.',
  ].join('\n\n');
