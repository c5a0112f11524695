import { prices, pricesOf, sesAttachmentGigabyte, sesPlans, usdOf, type PriceName, type Units } from '../../../preflight/cost/aws-prices.ts';
import { add, assumed, type Template } from '../../../preflight/cost/idle-units.ts';
import { costBills } from './cost-model.ts';
import { idleClient, idleClients } from './event-source-cost.ts';

const usd = (amount: number): string => (amount === 0 ? '0' : amount < 0.005 ? '< 0.01' : amount.toFixed(2));

const count = (amount: number): string => (amount >= 100 ? Math.round(amount) : Number(amount.toPrecision(2))).toLocaleString('en');

const unitsText = (units: Units): string =>
  (Object.entries(units) as [PriceName, number][])
    .filter(([, each]) => each >= 0.01)
    .map(([name, each]) => `${count(each)} ${prices[name].unit.split(',')[0]!.split(';')[0]!}`)
    .join(', ');

/** One bill as a table. Only the bill of an idle deployment has a column for the units that are always free. */
const billTable = (title: string, lines: Readonly<Record<string, Units>>): string[] => {
  const isIdle = title.startsWith('An idle');
  const head = isIdle ? ['| | units | USD, list price | USD beyond the free units |', '|---|---|---|---|'] : ['| | units | USD |', '|---|---|---|'];
  const amounts = (units: Units) => [usd(usdOf(units, false)), ...(isIdle ? [usd(usdOf(units, true))] : [])];
  const row = (name: string, units: Units, text: string) => `| ${[name, text, ...amounts(units)].join(' | ')} |`;
  const rows = Object.entries(lines).map(([name, units]) => row(name, units, unitsText(units)));
  return [`## ${title}`, '', ...head, ...rows, ...(isIdle ? [row('**together**', add(...Object.values(lines)), '')] : []), ''];
};

/** The cost of the event source for clients that only listen. */
const eventSourceTable = async (): Promise<string[]> => {
  const clients = await Promise.all(Object.entries(idleClients).map(async ([name, client]) => [name, await idleClient(client)] as const));
  return [
    '## An idle client of the event source, a month',
    '',
    'Models of the clients, after their source, listen for an hour. aerc and Bulwark ignore `retry`, so API Gateway holds',
    'them for 20 seconds at a time, after a redirect. The arithmetic, and what a client may miss, are in',
    '[a decision](decisions/event-source-holds-early-clients.md). Assumed: 20 ms for a call of the Lambda with its one trip,',
    'and 350 octets of log for it and for each HTTP request.',
    '',
    '| Client | connections a minute | HTTP requests a minute | USD |',
    '|---|---|---|---|',
    ...clients.map(
      ([name, { connectionsPerMinute: connections, httpRequestsPerMinute: requests, dollarsPerMonth }]) =>
        `| ${name} | ${connections.toFixed(1)} | ${requests.toFixed(1)} | ${usd(dollarsPerMonth)} |`,
    ),
    '',
  ];
};

/** What SES bills for outgoing mail in each of its price plans. */
const sesPlanTable = (): string[] => [
  '## Price plans of SES',
  '',
  'The bills above are at the prices per use, the plan `NONE`. Accounts in which SES was not used since June 2025 begin with',
  '`ESSENTIALS`, without free messages. `aws sesv2 get-account` shows the plan of the region, and',
  '`aws sesv2 put-account-pricing-attributes --plan NONE` changes it: at once where AWS chose it, else with the next month.',
  `Nothing of the deployment needs a plan. Without one, SES also bills ${sesAttachmentGigabyte} USD for each GB of attachments. The price`,
  'list has no other prices for receiving.',
  '',
  '| Plan | USD a month | 1,000 messages out | 100,000 messages out |',
  '|---|---|---|---|',
  ...Object.entries(sesPlans).map(([plan, { monthly, mailOut }]) => `| \`${plan}\` | ${usd(monthly)} | ${usd(mailOut)} | ${usd(100 * mailOut)} |`),
  '',
];

/** The text of docs/cost.md, for the template of a deployment with the settings of cdk.json. */
export const costReport = async (template: Template): Promise<string> => {
  const bills = await costBills(template);
  return [
    '# What it costs',
    '',
    '`npm run bench:cost` writes this page, and `test/lib/cost.test.ts` fails while it is out of date. Each figure is a number',
    'of units times a price. Units of the idle deployment are counted in the template. Those of requests and mail are counted',
    `by the bench: DynamoDB's units of the real Lambda code, in an account of ${count(assumed.mailboxSize)} messages. Prices are AWS's list prices`,
    `of ${pricesOf.region}, ${pricesOf.month}.`,
    '',
    `Assumed: a Lambda call is billed for ${assumed.callMilliseconds} ms and ${assumed.tripMilliseconds} ms for each DynamoDB trip, and logs ${assumed.logOctetsOfCall} octets. Lambda keeps`,
    `${assumed.pollers} pollers for a queue, each of which asks every ${assumed.pollSeconds} seconds. A sent message is written, submitted and moved to Sent by`,
    'one request; SES bills each recipient, and publishes a Delivery event for each. A call of the mail-events Lambda gets',
    'the events that wait in its queue, ten at most: more of one message, the longer they wait. Stored',
    `messages have ${assumed.messageOctets / 1000} KB. Not counted: versions of removed messages for 35 days and the backups of \`backupDays\` (by the`,
    'gigabyte), data transfer, hosted zones, which the stack does not make, and taxes.',
    '',
    'A message in takes 15 write units in the mailbox of one recipient: 12 for the Email, as before there was a record of',
    'received mail, and 3 for the record and its listings for the recipient and the Message-ID. An envelope sender other than',
    'the author takes one more, and so does each further recipient. A message that joins a thread takes two more.',
    '',
    ...Object.entries(bills).flatMap(([title, lines]) => billTable(title, lines)),
    ...sesPlanTable(),
    ...(await eventSourceTable()),
    '## Prices',
    '',
    "| Price | USD | per | free each month | AWS's page |",
    '|---|---|---|---|---|',
    ...Object.values(prices).map(
      (price) =>
        `| ${price.unit} | ${price.usd} | ${price.per.toLocaleString('en')} | ${'free' in price ? price.free.toLocaleString('en') : ''} | ${price.page} |`,
    ),
    '',
  ].join('\n');
};
