import { StatusIndicator } from '@cloudscape-design/components';
import type { StepsOutcome } from '../../../people/apply-people.ts';
import type { RowProblem } from '../../../people/people-file.ts';
import { stepWords, type PersonPlan } from '../../../people/plan-people.ts';
import { shownError } from '../../api/errors.ts';
import { textColumn, type Column } from '../../parts/lists/columns.tsx';
import { List } from '../../parts/lists/list-page.tsx';
import { ErrorText } from '../../parts/text/error-text.tsx';
import { cellValue } from '../../parts/text/plain-text.tsx';
import { importWords } from '../../words/pages/users.ts';
import { words } from '../../words/words.ts';

/** The outcomes for the people of a plan, by their lines. */
export type Outcomes = ReadonlyMap<number, StepsOutcome>;

/** Outcomes with a further report: each phase reports its own steps. */
export const withOutcome = (known: Outcomes, { row: { line } }: PersonPlan, { made, ...rest }: StepsOutcome): Outcomes =>
  new Map(known).set(line, { ...rest, made: [...(known.get(line)?.made ?? []), ...made] });

export const isDone = ({ row, steps }: PersonPlan, outcomes: Outcomes): boolean => outcomes.get(row.line)?.made.length === steps.length;

const whatOf = ({ user, steps }: PersonPlan): string =>
  user ? (steps.length > 0 ? importWords.what.change : importWords.what.leave) : importWords.what.create;

const changesOf = ({ steps, hint }: PersonPlan): readonly string[] => [...steps.map(stepWords), ...(hint ? [importWords.hints[hint]] : [])];

const Changes = ({ plan }: { readonly plan: PersonPlan }) => {
  const changes = changesOf(plan);
  return changes.length === 0 ? words.details.none : changes.map((change, index) => <div key={index}>{cellValue(change)}</div>);
};

const columns: readonly Column<PersonPlan>[] = [
  textColumn('line', importWords.columns.line, ({ row }) => String(row.line)),
  textColumn('email', importWords.columns.email, ({ row }) => row.email),
  textColumn('what', importWords.columns.what, whatOf),
];

const changesColumn: Column<PersonPlan> = {
  id: 'steps',
  header: importWords.columns.steps,
  cell: (plan) => <Changes plan={plan} />,
  text: (plan) => changesOf(plan).join('; '),
};

const Outcome = ({ plan, outcomes }: { readonly plan: PersonPlan; readonly outcomes: Outcomes }) => {
  const outcome = outcomes.get(plan.row.line);
  if (plan.steps.length === 0) return words.details.none;
  if (isDone(plan, outcomes)) return <StatusIndicator type="success">{words.bulk.states.done}</StatusIndicator>;
  if (!outcome?.refused) return <StatusIndicator type="pending">{words.bulk.states.waiting}</StatusIndicator>;
  const { step, error } = outcome.refused;
  return (
    <>
      <StatusIndicator type="error">{`${words.bulk.states.failed}: ${stepWords(step)}`}</StatusIndicator>
      <ErrorText error={shownError(error)} hasTitle />
    </>
  );
};

type PlanListProps = {
  readonly people: readonly PersonPlan[];
  /** Undefined before the plan is applied. */
  readonly outcomes: Outcomes | undefined;
  readonly isReading: boolean;
  readonly refresh: () => void;
};

/** The plan for each line of a file, and its outcome. */
export const PlanList = ({ people, outcomes, isReading, refresh }: PlanListProps) => (
  <List
    name="people-import"
    variant="part"
    title={importWords.planned.title}
    description={outcomes ? importWords.applied : importWords.planned.text}
    idOf={({ row }) => String(row.line)}
    source={{ items: people, error: null, isReading, refresh }}
    columns={[
      ...columns,
      ...(outcomes ? [{ id: 'outcome', header: importWords.columns.outcome, cell: (plan: PersonPlan) => <Outcome plan={plan} outcomes={outcomes} /> }] : []),
      changesColumn,
    ]}
    empty={importWords.none}
  />
);

/** The refused lines of a file, each with its reason. */
export const ProblemList = ({
  problems,
  isReading,
  refresh,
}: {
  readonly problems: readonly RowProblem[];
  readonly isReading: boolean;
  readonly refresh: () => void;
}) => (
  <List
    name="people-import-problems"
    variant="part"
    title={importWords.problems.title}
    description={importWords.problems.text}
    idOf={({ line, text }) => `${line} ${text}`}
    source={{ items: problems.toSorted((one, other) => one.line - other.line), error: null, isReading, refresh }}
    columns={[
      textColumn('line', importWords.columns.line, ({ line }: RowProblem) => String(line)),
      textColumn('reason', importWords.columns.reason, ({ text }: RowProblem) => text),
    ]}
    empty={importWords.none}
  />
);
