import { Box, SpaceBetween, Table } from '@cloudscape-design/components';
import type { ResponseOf } from '../../api/admin-api.tsx';
import { DetailList } from '../../parts/text/details.tsx';
import { ObjectLink } from '../../parts/text/link.tsx';
import { PlainText } from '../../parts/text/plain-text.tsx';
import { DetailedTime } from '../../parts/text/time.tsx';
import { Copyable, StateLabel } from '../../parts/text/values.tsx';
import { fieldWords } from '../../words/fields.ts';
import { auditWords, changeRequestWords } from '../../words/pages/operations.ts';
import { words } from '../../words/words.ts';

export type AuditLog = ResponseOf<'audit', 'ListAuditLogs'>['audit_logs'][number];

/** The name of an actor for people. */
export const actorName = ({ email, username, service_name: service, actor_id: id }: AuditLog['actor']): string => email ?? username ?? service ?? id;

/** The readable name of the changed object: a change request is named by its type. */
export const entityName = (name: string): string => (changeRequestWords.types as { readonly [type: string]: string })[name] ?? name;

/**
 * A value before or after a change. A replaced or removed value is also struck through, for people who don't see
 * colours.
 */
const Value = ({ value, isOld }: { readonly value: string | undefined; readonly isOld: boolean }) => {
  if (value === undefined) return <Box color="text-status-inactive">{auditWords.notSet}</Box>;
  if (value === '') return <Box color="text-status-inactive">{auditWords.emptyText}</Box>;
  const text = <PlainText text={value} />;
  return <Box color={isOld ? 'text-status-error' : 'text-status-success'}>{isOld ? <del>{text}</del> : <ins className="new-value">{text}</ins>}</Box>;
};

const Changes = ({ changes }: Pick<AuditLog, 'changes'>) => (
  <Table
    variant="embedded"
    wrapLines
    items={[...changes]}
    trackBy="field"
    ariaLabels={{ tableLabel: auditWords.changes }}
    header={<Box variant="h3">{auditWords.changes}</Box>}
    empty={<Box textAlign="center">{auditWords.noChanges}</Box>}
    columnDefinitions={[
      { id: 'field', header: auditWords.field, cell: ({ field }) => fieldWords.of(field).label, isRowHeader: true },
      { id: 'before', header: auditWords.before, cell: ({ old_value: value }) => <Value value={value} isOld /> },
      { id: 'after', header: auditWords.after, cell: ({ new_value: value }) => <Value value={value} isOld={false} /> },
    ]}
  />
);

/** One entry of the audit log: the actor, the operation, and the fields before and after. */
export const AuditEntry = ({ entry }: { readonly entry: AuditLog }) => {
  const { actor, metadata } = entry;
  return (
    <SpaceBetween size="l">
      <DetailList
        details={[
          { label: auditWords.columns.time, value: <DetailedTime at={entry.timestamp} /> },
          { label: auditWords.columns.outcome, value: <StateLabel kind="outcome" state={entry.status} /> },
          ...(entry.error_msg === undefined ? [] : [{ label: auditWords.error, value: entry.error_msg }]),
          { label: auditWords.columns.entity, value: entry.entity_id && <ObjectLink id={entry.entity_id} name={entityName(entry.entity_name)} /> },
          { label: auditWords.columns.actor, value: actor.user_id ? <ObjectLink id={actor.user_id} name={actorName(actor)} /> : actorName(actor) },
          { label: auditWords.actorType, value: auditWords.actorTypes[actor.actor_type] },
          { label: auditWords.address, value: actor.ip_address },
          { label: auditWords.agent, value: actor.user_agent },
          ...Object.entries(metadata).map(([name, value]) => ({ label: fieldWords.of(name).label, value: <ObjectLink id={value} /> })),
          { label: words.id, value: <Copyable value={entry.audit_id} name={words.id} /> },
          { label: auditWords.link, value: <Copyable value={`${window.location.origin}/audit?selected=${entry.audit_id}`} name={auditWords.link} /> },
        ]}
      />
      <Changes changes={entry.changes} />
    </SpaceBetween>
  );
};
