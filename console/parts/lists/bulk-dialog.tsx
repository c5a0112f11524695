import { Box, Button, Modal, ProgressBar, SpaceBetween, StatusIndicator, type StatusIndicatorProps } from '@cloudscape-design/components';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState, type ReactNode } from 'react';
import type { ServiceName } from '../../../contract/admin/index.ts';
import { useAdminClient } from '../../api/admin-api.tsx';
import type { AdminClient } from '../../api/admin-client.ts';
import { isThrottled, retryDelay, shownError } from '../../api/errors.ts';
import { words } from '../../words/words.ts';
import { Confirm } from '../forms/confirm.tsx';
import { ErrorText } from '../text/error-text.tsx';
import { Isolated } from '../text/isolated.tsx';
import { runBulk, type Outcome } from './bulk-run.ts';

type Row = {
  readonly name: string;
  readonly run: (client: AdminClient) => Promise<string | undefined>;
  /** Removes the tick of a row whose change was made. */
  readonly untick: () => void;
};

export type BulkDialogProps = {
  readonly text: string;
  readonly consequences: ReactNode;
  readonly isTyped?: boolean;
  readonly service: ServiceName;
  readonly rows: readonly Row[];
  readonly onClose: () => void;
};

/** The most names that the confirmation has. */
const maxNames = 10;

/** Milliseconds within which a second click belongs to a double click on the button that began the changes. */
const doubleClick = 500;

const indicators = { waiting: 'pending', running: 'in-progress', stopped: 'stopped', done: 'success', failed: 'error' } as const satisfies Record<
  Outcome['state'],
  StatusIndicatorProps.Type
>;

/** Makes the changes of rows, and returns their outcomes. Shown data of the service is read again when they have ended. */
const useOutcomes = (service: ServiceName) => {
  const client = useAdminClient();
  const queries = useQueryClient();
  const [outcomes, setOutcomes] = useState<ReadonlyMap<Row, Outcome>>(new Map());
  const [isRunning, setRunning] = useState(false);
  const isStopped = useRef(false);
  const startedAt = useRef(0);
  const { mutateAsync } = useMutation({ mutationFn: (row: Row) => row.run(client), retry: isThrottled, retryDelay });
  const stop = (): void => void (isStopped.current = true);
  useEffect(() => stop, []);
  const start = async (rows: readonly Row[]): Promise<void> => {
    isStopped.current = false;
    startedAt.current = performance.now();
    setRunning(true);
    await runBulk(rows, {
      run: (row) => mutateAsync(row),
      note(row, outcome) {
        setOutcomes((known) => new Map(known).set(row, outcome));
        if (outcome.state === 'done') row.untick();
      },
      isStopped: () => isStopped.current,
    });
    setRunning(false);
    await queries.invalidateQueries({ refetchType: 'none' });
    await queries.refetchQueries({ queryKey: [service], type: 'active' });
  };
  return { outcomes, isRunning, start, stop, isJustStarted: () => performance.now() - startedAt.current < doubleClick };
};

const RowOutcome = ({ name, outcome }: { readonly name: string; readonly outcome: Outcome }) => (
  <li>
    <StatusIndicator type={indicators[outcome.state]} iconAriaLabel={words.bulk.states[outcome.state]}>
      <Isolated>{name}</Isolated>
    </StatusIndicator>
    {outcome.state === 'done' && outcome.text && <Box color="text-body-secondary">{outcome.text}</Box>}
    {outcome.state === 'failed' && <ErrorText error={shownError(outcome.error)} />}
  </li>
);

const Names = ({ rows }: Pick<BulkDialogProps, 'rows'>) => (
  <>
    <ul className="plain-list">
      {rows.slice(0, maxNames).map(({ name }, index) => (
        <li key={index}>
          <Isolated>{name}</Isolated>
        </li>
      ))}
    </ul>
    {rows.length > maxNames && <span>{words.bulk.more(rows.length - maxNames)}</span>}
  </>
);

/** Asks for a confirmation, makes the changes, and shows the outcome of each row. */
export const BulkDialog = ({ text, consequences, isTyped = false, service, rows, onClose }: BulkDialogProps) => {
  const { outcomes, isRunning, start, stop, isJustStarted } = useOutcomes(service);
  const title = words.bulk.count(text, rows.length);
  const close = (): void => {
    if (isJustStarted()) return;
    if (isRunning) stop();
    else onClose();
  };
  if (outcomes.size === 0) {
    return (
      <Confirm
        title={title}
        actionText={title}
        name={isTyped ? (rows.length === 1 ? rows[0]!.name : String(rows.length)) : undefined}
        consequences={
          <SpaceBetween size="xs">
            <Names rows={rows} />
            {consequences}
          </SpaceBetween>
        }
        onConfirm={() => Promise.resolve()}
        onDone={() => void start(rows)}
        onClose={onClose}
      />
    );
  }
  const isIn = (...states: readonly Outcome['state'][]) => rows.filter((row) => states.includes(outcomes.get(row)!.state));
  const [done, rest] = [isIn('done'), isIn('failed', 'stopped')];
  const result = words.bulk.result(done.length, rows.length);
  return (
    <Modal
      visible
      header={title}
      onDismiss={close}
      closeAriaLabel={words.panel.close}
      footer={
        <Box float="right">
          <SpaceBetween direction="horizontal" size="xs">
            {!isRunning && rest.length > 0 && <Button onClick={() => void start(rest)}>{words.bulk.again(rest.length)}</Button>}
            <Button variant={isRunning ? 'normal' : 'primary'} onClick={close}>
              {isRunning ? words.bulk.stop : words.panel.close}
            </Button>
          </SpaceBetween>
        </Box>
      }
    >
      <SpaceBetween size="m">
        <ProgressBar
          label={text}
          value={(100 * (done.length + rest.length)) / rows.length}
          status={isRunning ? 'in-progress' : rest.length > 0 ? 'error' : 'success'}
          additionalInfo={isRunning ? result : undefined}
          resultText={result}
        />
        <ul className="plain-list">
          {rows.map((row, index) => (
            <RowOutcome key={index} name={row.name} outcome={outcomes.get(row)!} />
          ))}
        </ul>
      </SpaceBetween>
    </Modal>
  );
};
