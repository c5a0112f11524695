import { randomUUID } from 'node:crypto';

/** An operation of SES API v1, which uses the query protocol: form parameters as request, XML as response. */
export type QueryOperation = {
  readonly action: string;
  /** @returns the members of the result. @throws QueryError */
  readonly run: (parameters: URLSearchParams) => Promise<Readonly<Record<string, string>>>;
};

/** An error response of SES API v1; `name` is its code. */
export class QueryError extends Error {
  override readonly name: 'MessageRejected' | 'InvalidParameterValue' | 'Throttling';
  constructor(name: QueryError['name'], message: string) {
    super(message);
    this.name = name;
  }
}

const escaped = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
const element = (name: string, content: string): string => `<${name}>${content}</${name}>`;
const requestId = (): string => element('RequestId', randomUUID());
const namespace = 'xmlns="http://ses.amazonaws.com/doc/2010-12-01/"';

export type QueryResponse = { readonly status: number; readonly body: string };

const resultOf = (action: string, members: Readonly<Record<string, string>>): string => {
  const result = element(
    `${action}Result`,
    Object.entries(members)
      .map(([name, value]) => element(name, escaped(value)))
      .join(''),
  );
  return `<${action}Response ${namespace}>${result}${element('ResponseMetadata', requestId())}</${action}Response>`;
};

/** Runs the requested operation; undefined if the request names another one. */
export const answerQuery = async (operations: readonly QueryOperation[], content: Buffer): Promise<QueryResponse | undefined> => {
  const parameters = new URLSearchParams(content.toString('utf8'));
  const operation = operations.find(({ action }) => action === parameters.get('Action'));
  if (!operation) return undefined;
  try {
    return { status: 200, body: resultOf(operation.action, await operation.run(parameters)) };
  } catch (error) {
    if (!(error instanceof QueryError)) throw error;
    const details = element('Type', 'Sender') + element('Code', error.name) + element('Message', escaped(error.message));
    return { status: 400, body: `<ErrorResponse ${namespace}>${element('Error', details)}${requestId()}</ErrorResponse>` };
  }
};

/** The members of a list such as `BouncedRecipientInfoList.member.1`, each as separate parameters. */
export const memberList = (parameters: URLSearchParams, name: string): URLSearchParams[] => {
  const members: URLSearchParams[] = [];
  for (const [key, value] of parameters) {
    const [, number, member] = new RegExp(`^${name}\\.member\\.(\\d+)\\.(.+)$`).exec(key) ?? [];
    if (number !== undefined) (members[Number(number) - 1] ??= new URLSearchParams()).set(member!, value);
  }
  return members.filter(Boolean);
};
