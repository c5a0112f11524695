import { accountId } from '../fixtures/alice.ts';
import type { LambdaProcess } from './lambda-process.ts';
import { httpEvent, performRequest, type RequestKind, type RequestSubjects } from './process-requests.ts';

/** Requests of one kind that are measured together. */
const batchSize = 20;

/** Sends requests to one Lambda and measures its CPU time. Its counters continue when the process is replaced. */
export class RequestMeter {
  readonly #accessToken: string;
  /** The number of requests sent for each kind, by title. Each request is about another message. */
  readonly #sent = new Map<string, number>();
  #commits = 0;
  lambda: LambdaProcess;

  constructor(lambda: LambdaProcess, accessToken: string) {
    this.lambda = lambda;
    this.#accessToken = accessToken;
  }

  /** The messages that requests are about, and the state before the newest commit. This method makes that commit. */
  async #subjects(): Promise<RequestSubjects> {
    const send = <Arguments extends object>(name: string, args: object) =>
      performRequest<Arguments>(this.lambda, httpEvent(this.#accessToken, [[name, { accountId, ...args }, 'a']]));
    const { list } = await send<{ readonly list: readonly { readonly id: string; readonly role: string }[] }>('Mailbox/get', { ids: null });
    const inbox = list.find(({ role }) => role === 'inbox')!.id;
    const { ids } = await send<{ readonly ids: readonly string[] }>('Email/query', { filter: { inMailbox: inbox }, limit: 500 });
    const update = { [ids[0]!]: { 'keywords/$junk': this.#commits++ % 2 === 0 || null } };
    const { oldState } = await send<{ readonly oldState: string }>('Email/set', { update });
    return { inbox, emailIds: ids, previousState: oldState };
  }

  async #events({ title, calls }: RequestKind, count: number): Promise<object[]> {
    const subjects = await this.#subjects();
    const sent = this.#sent.get(title) ?? 0;
    this.#sent.set(title, sent + count);
    return Array.from({ length: count }, (_, i) => httpEvent(this.#accessToken, calls(subjects, sent + i)));
  }

  /** @returns a function that sends one request and checks its response. */
  async prepare(kind: RequestKind): Promise<() => Promise<unknown>> {
    const [event] = await this.#events(kind, 1);
    return () => performRequest(this.lambda, event!);
  }

  /** CPU milliseconds of one request, including the work after its response: the mean of a batch. */
  async measureBatch(kind: RequestKind): Promise<number> {
    const [first, ...events] = await this.#events(kind, 1 + batchSize);
    await performRequest(this.lambda, first!);
    let cpu = 0;
    for (const event of events) cpu += (await this.lambda.invoke(event)).cpu;
    return cpu / batchSize;
  }

  /** Sends this many requests of each kind. */
  async warmUp(kinds: readonly RequestKind[], requests: number): Promise<void> {
    for (let i = 0; i < requests; i += batchSize) for (const kind of kinds) await this.measureBatch(kind);
  }
}
