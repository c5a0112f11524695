/** One line of the report. `atMost` is the budget; a figure without a budget is for information. */
export type ReportLine = { readonly what: string; readonly figure: number; readonly unit?: string; readonly atMost?: number; readonly note?: string };

/**
 * A line of CPU time. The budget is in units of the fixed work (`fixed-work.ts`): milliseconds on the machine where the
 * budgets were set.
 */
export const cpuLine = ({
  what,
  cpu,
  unit,
  atMost,
  note,
}: {
  readonly what: string;
  readonly cpu: number;
  /** CPU milliseconds of one unit. */ readonly unit: number;
  readonly atMost?: number;
  readonly note?: string;
}): ReportLine => ({
  what,
  figure: cpu / unit,
  unit: 'units',
  ...(atMost !== undefined && { atMost }),
  note: [`${formatFigure(cpu)} ms`, ...(note ? [note] : [])].join(' · '),
});

export const isOver = ({ figure, atMost }: ReportLine): boolean => atMost !== undefined && figure > atMost;

const formatFigure = (figure: number): string => (Number.isInteger(figure) ? figure.toLocaleString('en') : figure.toFixed(figure < 10 ? 2 : 1));

/** The lines as a table: title, figure, budget, verdict. */
export const reportTable = (lines: readonly ReportLine[]): string => {
  const rows = [
    ['what', 'figure', 'budget', 'verdict', ''],
    ...lines.map((line) => [
      line.what,
      `${formatFigure(line.figure)}${line.unit ? ` ${line.unit}` : ''}`,
      line.atMost === undefined ? '–' : `≤ ${formatFigure(line.atMost)}`,
      line.atMost === undefined ? '' : isOver(line) ? 'OVER' : 'held',
      line.note ?? '',
    ]),
  ];
  const widths = rows[0]!.map((_, column) => Math.max(...rows.map((row) => row[column]!.length)));
  const [head, ...body] = rows.map((row) =>
    row
      .map((cell, column) => (column === 1 || column === 2 ? cell.padStart(widths[column]!) : cell.padEnd(widths[column]!)))
      .join('  ')
      .trimEnd(),
  );
  return [head, '─'.repeat(Math.max(...body.map((line) => line.length))), ...body].join('\n');
};
