import { parentPort } from 'node:worker_threads';
import { jmapDeployment } from '../lambdas/jmap/jmap-deployment.ts';
import { hostileBody, type HostileRequest } from './hostile-requests.ts';

/*
 * A worker that handles requests sequentially, and reports the CPU time of each. Its heap can be limited: a request that
 * needs more memory ends the worker.
 */

/** Seconds of CPU time, and the first response's name or the problem's type. */
export type RequestCost = { readonly seconds: number; readonly status: number; readonly outcome: string };

const emails = 1000;
const mailboxes = 400;

const manyParts = (parts: number) =>
  [
    'From: a@example.net',
    'Subject: parts',
    ...Array.from({ length: 300 }, (_, index) => `X-${index}: value ${index} <x${index}@example.net>`),
    'Content-Type: multipart/mixed; boundary=b',
    '',
    ...Array.from({ length: parts }, (_, index) => `--b\nContent-Type: text/plain; name=p${index}\n\n${index}`),
    '--b--',
    '',
  ].join('\n');

const deployment = await jmapDeployment();
for (let index = 0; index < emails; index += 1) {
  await deployment.deliver({ id: `m${index}`, ...(index % 100 === 0 && { raw: manyParts(500) }) });
}
const create = Object.fromEntries(Array.from({ length: mailboxes }, (_, index) => [`c${index}`, { name: `box${index}` }]));
const { created } = await deployment.call('Mailbox/set', { create });
const {
  ids: [emailId],
} = await deployment.call('Email/query', { limit: 1 });
const account = { emailId: emailId as string, mailboxIds: Object.values(created as { [id: string]: { id: string } }).map(({ id }) => id) };

const cost = async (request: HostileRequest): Promise<RequestCost> => {
  const body = hostileBody(request, account);
  const before = process.cpuUsage();
  const response = await deployment.http('POST', '/jmap', { body });
  const { user, system } = process.cpuUsage(before);
  const outcome = /"methodResponses":\[\["([^"]*)"|"type":"([^"]*)"/.exec(response.body ?? '');
  return { seconds: (user + system) / 1e6, status: response.statusCode!, outcome: outcome?.[1] ?? outcome?.[2] ?? '' };
};

/* oxlint-disable unicorn/require-post-message-target-origin -- the port of a worker has no origin */
parentPort!.on('message', (request: HostileRequest) => {
  void cost(request).then((result) => parentPort!.postMessage(result));
});
parentPort!.postMessage('ready');
