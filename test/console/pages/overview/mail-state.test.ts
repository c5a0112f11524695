import { mailState, type Circumstances } from '../../../../console/pages/overview/mail-state.ts';
import type { SeriesResponse } from '../../../../console/parts/charts/metric-series.ts';
import { response, series } from '../../metric-fixtures.ts';

type Some = SeriesResponse['series'];

/** Series of a healthy mail flow. Given series replace those of the same metric. */
const flow = (...others: Some): SeriesResponse => {
  const usual = [
    series('MAIL_RECEIVED', [300, 12]),
    series('MAIL_SENT', [80, 7]),
    series('QUEUE_WAITING', [3, 0], 'InboundMail/Waiting'),
    series('QUEUE_AGE', [], 'InboundMail/Waiting'),
    series('DEAD_LETTERS', [0], 'InboundMail/Waiting/DeadLetters'),
    series('API_ERRORS', [0, 0], 'jmap'),
    series('FUNCTION_THROTTLES', [0]),
  ];
  return response(...usual.filter(({ metric }) => !others.some((other) => other.metric === metric)), ...others);
};
const state = (others: Some = [], circumstances: Partial<Circumstances> = {}) =>
  mailState(flow(...others), { failures: undefined, reputation: undefined, ...circumstances });

describe('the state of the mail', () => {
  test('describes in words that mail flows', () => {
    expect(state()).toEqual({ look: 'success', headline: 'Mail flows. 312 in, 87 out in the last hour.', waiting: 'Nothing waits.', problems: [] });
  });

  test('does not claim that mail flows when there was none', () => {
    expect(state([series('MAIL_RECEIVED', [0]), series('MAIL_SENT', [0])])).toMatchObject({ look: 'info', headline: expect.stringContaining('No mail') });
  });

  test('is not reported as empty when one queue is unknown', () => {
    expect(state([series('QUEUE_WAITING', [], 'InboundMail/Waiting')]).waiting).toContain('not known');
  });

  test('is normal when mail waits for a moment', () => {
    const waiting = [series('QUEUE_WAITING', [0, 1], 'InboundMail/Waiting'), series('QUEUE_AGE', [2], 'InboundMail/Waiting')];
    expect(state(waiting)).toMatchObject({ look: 'success', waiting: '1 message waits to be processed.', problems: [] });
  });

  test('is a problem with a link to the queues when mail waits longer than a delay and its retries', () => {
    const { look, headline, problems } = state([
      series('QUEUE_WAITING', [4, 4], 'InboundMail/Waiting'),
      series('QUEUE_AGE', [1440, 1680], 'InboundMail/Waiting'),
    ]);
    expect([look, headline]).toEqual(['error', 'Mail is stuck. 312 in, 87 out in the last hour.']);
    expect(problems).toEqual([
      {
        names: ['QUEUE_DELAYED'],
        severity: 'error',
        text: 'Received mail: the oldest message has been waiting for 28 minutes.',
        link: { to: '/queues', text: 'See the queues' },
      },
    ]);
  });

  test('is normal when a message was delayed by a quarter of an hour, although SQS includes the delay in its age', () => {
    const removal = [series('QUEUE_WAITING', [1], 'MailCleanup/Waiting'), series('QUEUE_AGE', [905], 'MailCleanup/Waiting')];
    expect(state(removal)).toMatchObject({ look: 'success', problems: [] });
  });

  test('warns about mail for a full account with a link to the accounts, and does not call the service stuck', () => {
    const place = 'InboundMail/FullAccounts';
    const { look, headline, waiting, problems } = state([
      series('QUEUE_WAITING', [0], 'InboundMail/Waiting'),
      series('QUEUE_WAITING', [2], place),
      series('QUEUE_AGE', [36_000], place),
    ]);
    expect([look, headline, waiting]).toEqual(['warning', 'Mail flows. 312 in, 87 out in the last hour.', '2 messages wait to be processed.']);
    expect(problems).toEqual([
      {
        names: ['MAIL_WAITING'],
        severity: 'warning',
        text: 'Mail for full accounts: the oldest message has been waiting for 10 hours.',
        link: { to: '/accounts', text: 'See the accounts' },
      },
    ]);
  });

  test('ignores the age of a queue that is now empty', () => {
    expect(state([series('QUEUE_AGE', [1680], 'InboundMail/Waiting')]).problems).toEqual([]);
  });

  test('names the queues of messages that could not be processed', () => {
    expect(state([series('DEAD_LETTERS', [0, 2], 'InboundMail/Waiting/DeadLetters'), series('DEAD_LETTERS', [1], 'New/Queue/DeadLetters')])).toMatchObject({
      look: 'error',
      problems: [{ text: '3 messages could not be processed: Received mail, New/Queue.' }],
    });
  });

  test('includes failed requests and failed Lambdas, with a link to the errors', () => {
    const { look, problems } = state([series('API_ERRORS', [1, 1], 'jmap')], { failures: response(series('FUNCTION_ERRORS', [3], 'deliver')) });
    expect(look).toBe('warning');
    expect(problems).toMatchObject([{ text: '5 calls failed in the last hour: jmap, deliver.', link: { to: '/monitoring#errors' } }]);
  });

  test('links refused calls to the request for a higher Lambda quota', () => {
    expect(state([series('FUNCTION_THROTTLES', [1])]).problems).toMatchObject([
      { text: expect.stringMatching(/^1 call was refused/), link: { to: '/change-requests/create' } },
    ]);
  });

  test.each([
    [{ bounce_rate: 0.0499, complaint_rate: 0.0009 }, 'success'],
    [{ bounce_rate: 0.05 }, 'warning'],
    [{ complaint_rate: 0.001 }, 'warning'],
    [{ bounce_rate: 0.1 }, 'error'],
    [{ complaint_rate: 0.005 }, 'error'],
  ])('rates SES’s %j as %s', (reputation, look) => {
    expect(state([], { reputation }).look).toBe(look);
  });
});
