import { Box, StatusIndicator } from '@cloudscape-design/components';
import { waitingMail } from '../../../contract/deployment/waiting-mail.ts';
import { useAdminQuery, type ResponseOf } from '../../api/admin-api.tsx';
import { useRole } from '../../api/role.ts';
import { listSource } from '../../api/use-list.ts';
import { mayCallMethod } from '../../page/may-open.ts';
import type { PageDefinition } from '../../page/page-definition.ts';
import { textColumn, timeColumn, type Column } from '../../parts/lists/columns.tsx';
import { ListPage } from '../../parts/lists/list-page.tsx';
import { deadLettersPath } from '../../parts/objects/dead-letters-path.ts';
import { PageLink } from '../../parts/text/link.tsx';
import { queueName, queueWords } from '../../words/pages/monitoring.ts';
import { words } from '../../words/words.ts';

export const page: PageDefinition = {
  path: '/queues',
  title: words.pages.queues,
  navigation: { group: 'operations', position: 2 },
  methods: { monitoring: ['ListQueues'] },
};

type Queue = ResponseOf<'monitoring', 'ListQueues'>['queues'][number];

const { columns: titles } = queueWords;
const count = (id: string, header: string, value: (queue: Queue) => number): Column<Queue> => textColumn(id, header, (queue) => value(queue).toLocaleString());

const DeadLetterCount = ({ name, dead_letters: dead }: Queue) => {
  const role = useRole();
  const text = dead.toLocaleString();
  return (
    <StatusIndicator type={dead > 0 ? 'error' : 'success'}>
      {dead > 0 && mayCallMethod(role, 'monitoring', 'ListDeadLetters') ? <PageLink to={deadLettersPath(name)}>{text}</PageLink> : text}
    </StatusIndicator>
  );
};

/** Messages that wait to be handled. All mail for full accounts is for later. */
const waitingOf = ({ name, waiting, in_progress: progress, delayed }: Queue): number => (name === waitingMail.name ? delayed : waiting + progress);

const meaningOf = (queue: Queue): string => {
  const { name, dead_letters: dead } = queue;
  return dead > 0 || waitingOf(queue) > 0 ? queueWords.textOf(name, dead) : '';
};

const columns: readonly Column<Queue>[] = [
  {
    id: 'name',
    header: titles.name,
    cell: (queue) => (
      <>
        {queueName(queue.name)}
        <div className="wrapped">
          <Box color="text-body-secondary">{meaningOf(queue)}</Box>
        </div>
      </>
    ),
    text: ({ name }) => queueName(name),
  },
  count('waiting', titles.waiting, waitingOf),
  timeColumn('since', titles.since, ({ oldest_at: at }) => at ?? ''),
  { id: 'dead', header: titles.dead, cell: (queue) => <DeadLetterCount {...queue} />, text: ({ dead_letters: dead }) => String(dead) },
  textColumn('delayed', titles.delayed, ({ delayed }) => delayed.toLocaleString(), { isVisible: false }),
];

/** Milliseconds between two reads. SQS counts messages at once. */
const refreshInterval = 30_000;

export const QueuesPage = () => {
  const query = useAdminQuery('monitoring', 'ListQueues', {}, { refetchInterval: refreshInterval });
  return (
    <ListPage
      name="queues"
      title={words.pages.queues}
      columns={columns}
      idOf={({ name }) => name}
      source={listSource(query, ({ queues }) => queues)}
      empty={queueWords.empty}
    />
  );
};
