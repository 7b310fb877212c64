import { describeRedo, describeUndo } from '../command/undo-cases.js'
import { changingScenarios, offlineScenario } from '../command/undo-fixtures.js'

for (const scenario of changingScenarios) {
  describeUndo(scenario)
  describeRedo(scenario)
}

describeUndo(offlineScenario)
