import Alert from '@cloudscape-design/components/alert';

/** What was looked for is not known: what to try next. */
export const NothingFound = ({ title, tries }: { readonly title: string; readonly tries: readonly string[] }) => (
  <Alert type="info" header={title}>
    <ul className="plain-list">{tries.map((text) => <li key={text}>{text}</li>)}</ul>
  </Alert>
);
