import { Alert, Button, Container, ExpandableSection, FileUpload, FormField, ProgressBar, SpaceBetween, Textarea } from '@cloudscape-design/components';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { entriesOf } from '../../../contract/values/typed-entries.ts';
import { applyPeople } from '../../../people/apply-people.ts';
import { readDeploymentPeople, roleMailLines } from '../../../people/deployment-people.ts';
import { InvalidPeopleFile, peopleColumns, readPeople, type RowProblem } from '../../../people/people-file.ts';
import { planPeople, type PersonPlan } from '../../../people/plan-people.ts';
import { useAdminClient } from '../../api/admin-api.tsx';
import { namedClient } from '../../api/named-client.ts';
import type { PageDefinition } from '../../page/page-definition.ts';
import { useUnsavedChanges } from '../../page/unsaved-changes.tsx';
import { DetailList } from '../../parts/text/details.tsx';
import { FailedRead } from '../../parts/text/error-text.tsx';
import { Page } from '../../parts/view/page.tsx';
import { formatOctets } from '../../words/octets.ts';
import { importWords } from '../../words/pages/users.ts';
import { isDone, PlanList, ProblemList, withOutcome, type Outcomes } from './people-plan.tsx';
import { decodePeopleFile, importLimits } from './people-text.ts';

export const page: PageDefinition = {
  path: '/users/import',
  title: importWords.title,
  parent: '/users',
  methods: {
    users: ['CreateUser', 'ListUsers', 'UpdateUser', 'ResetPassword'],
    accounts: ['ListAccounts', 'FindAddress', 'ListAccountMembers', 'CreateAccount', 'PutAccountMember'],
    aliases: ['CreateAlias', 'ListGroupMembers', 'AddGroupMembers'],
    domains: ['ListDomains'],
  },
};

const maxSize = formatOctets(importLimits.octets);

/** The plan of a text, or its refused lines. */
type Planned = { readonly problems: readonly RowProblem[]; readonly people: readonly PersonPlan[]; readonly roleMail: readonly string[] };

const refused = (problems: readonly RowProblem[]): Planned => ({ problems, people: [], roleMail: [] });

/** Plans and applies the text of a file. */
const useImport = () => {
  const client = namedClient(useAdminClient());
  const queries = useQueryClient();
  const [progress, setProgress] = useState<string>();
  const [outcomes, setOutcomes] = useState<Outcomes>();
  const plan = useMutation({
    async mutationFn(text: string): Promise<Planned> {
      setOutcomes(undefined);
      if (new TextEncoder().encode(text).length > importLimits.octets) throw new InvalidPeopleFile(importWords.tooLarge(maxSize));
      const { rows, problems } = readPeople(text);
      if (rows.length > importLimits.rows) throw new InvalidPeopleFile(importWords.tooMany(rows.length, importLimits.rows));
      if (problems.length > 0) return refused(problems);
      const deployment = await readDeploymentPeople(client, rows, (done, total) => setProgress(importWords.lookedUp(done, total)));
      const planned = planPeople(rows, deployment, undefined);
      if (planned.problems.length > 0) return refused(planned.problems);
      return { ...planned, roleMail: await roleMailLines(client, rows, deployment.domains) };
    },
    onSettled: () => setProgress(undefined),
  });
  const changing = plan.data?.people.filter(({ steps }) => steps.length > 0) ?? [];
  const apply = useMutation({
    mutationFn: () => applyPeople({ client, report: (each, outcome) => setOutcomes((known = new Map()) => withOutcome(known, each, outcome)) }, changing),
    onSettled: () => queries.invalidateQueries(),
  });
  const isApplying = useRef(false);
  const applyOnce = (): void => {
    if (isApplying.current) return;
    isApplying.current = true;
    setOutcomes(new Map());
    apply.mutate(undefined, { onSettled: () => void (isApplying.current = false) });
  };
  return { plan, apply, applyOnce, changing, outcomes, progress };
};

type Source = { readonly text: string; readonly isLatin1: boolean; readonly files: File[]; readonly error?: string };

const SourceFields = ({ source, onChange }: { readonly source: Source; readonly onChange: (source: Source) => void }) => {
  const read = async (files: File[]): Promise<void> => {
    const [file] = files;
    if (!file) return onChange({ ...source, files });
    if (file.size > importLimits.octets) return onChange({ ...source, files, error: importWords.tooLarge(maxSize) });
    return onChange({ files, ...decodePeopleFile(new Uint8Array(await file.arrayBuffer())) });
  };
  return (
    <SpaceBetween size="l">
      <FormField label={importWords.file} constraintText={importWords.limits(maxSize, importLimits.rows)}>
        <FileUpload
          value={source.files}
          onChange={({ detail }) => void read(detail.value)}
          accept=".csv,.txt,.tsv,text/csv"
          {...(source.error !== undefined && { fileErrors: [source.error] })}
          i18nStrings={{ uploadButtonText: () => importWords.choose, dropzoneText: () => importWords.drop, removeFileAriaLabel: () => importWords.removeFile }}
        />
      </FormField>
      <FormField label={importWords.content} description={importWords.contentText} stretch>
        <Textarea
          value={source.text}
          rows={8}
          spellcheck={false}
          placeholder={Object.keys(peopleColumns).join(',')}
          onChange={({ detail }) => onChange({ files: [], text: detail.value, isLatin1: false })}
        />
      </FormField>
      <ExpandableSection headerText={importWords.columnsTitle}>
        <DetailList details={entriesOf(peopleColumns).map(([label, value]) => ({ label, value }))} />
      </ExpandableSection>
      {source.isLatin1 && <Alert type="warning">{importWords.latin1}</Alert>}
    </SpaceBetween>
  );
};

const Failure = ({ error, onRetry }: { readonly error: unknown; readonly onRetry: () => void }) =>
  error instanceof InvalidPeopleFile ? (
    <Alert type="error" header={importWords.notTable}>
      <span className="plain-text">{error.message}</span>
    </Alert>
  ) : (
    <FailedRead error={error} onRetry={onRetry} />
  );

export const ImportPeoplePage = () => {
  const [source, setSource] = useState<Source>({ text: '', isLatin1: false, files: [] });
  const { plan, apply, applyOnce, changing, outcomes, progress } = useImport();
  const showPlan = (): void => plan.mutate(source.text);
  const change = (next: Source): void => {
    if (apply.isPending) return;
    setSource(next);
    plan.reset();
    apply.reset();
  };
  useUnsavedChanges(apply.isPending);
  const isBusy = plan.isPending || apply.isPending;
  const done = outcomes ? changing.filter((each) => isDone(each, outcomes)).length : 0;
  const { data: planned } = plan;
  return (
    <Page title={importWords.title} description={importWords.text}>
      <Container>
        <SpaceBetween size="l">
          <SourceFields source={source} onChange={change} />
          <Button variant={planned ? 'normal' : 'primary'} loading={plan.isPending} disabled={source.text.trim() === '' || apply.isPending} onClick={showPlan}>
            {importWords.plan}
          </Button>
          {progress !== undefined && <span role="status">{progress}</span>}
        </SpaceBetween>
      </Container>
      {plan.error && <Failure error={plan.error} onRetry={showPlan} />}
      {planned && planned.problems.length > 0 && <ProblemList problems={planned.problems} isReading={isBusy} refresh={showPlan} />}
      {planned && planned.problems.length === 0 && (
        <SpaceBetween size="l">
          {planned.roleMail.length > 0 && (
            <Alert type="info" header={importWords.roleMail}>
              {planned.roleMail.map((line) => (
                <div key={line}>{line}</div>
              ))}
            </Alert>
          )}
          {changing.length === 0 && <Alert type="success">{importWords.nothing}</Alert>}
          {changing.length > 0 && !outcomes && (
            <Button variant="primary" onClick={applyOnce}>
              {importWords.apply(changing.length)}
            </Button>
          )}
          {outcomes && (
            <ProgressBar
              value={(100 * outcomes.size) / changing.length}
              status={apply.isPending ? 'in-progress' : done < changing.length ? 'error' : 'success'}
              label={importWords.title}
              additionalInfo={apply.isPending ? importWords.result(done, changing.length) : undefined}
              resultText={importWords.result(done, changing.length)}
            />
          )}
          {apply.error && <FailedRead error={apply.error} onRetry={showPlan} />}
          <PlanList people={planned.people} outcomes={outcomes} isReading={isBusy} refresh={showPlan} />
        </SpaceBetween>
      )}
    </Page>
  );
};
